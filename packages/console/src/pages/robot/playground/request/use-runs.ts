/** Requests of the playground: keeps the last run of each action, so that one can wait for a tap while another runs. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useCaller } from '../../../../api/api.js';
import { CallError, messageOf } from '../../../../api/call-error.js';
import type { Args } from '../draft/draft.js';

export type Run =
  | { state: 'running'; since: number; args: Args }
  | { state: 'answered'; body: unknown; ms: number }
  | { state: 'failed'; message: string; field: string | null; status: number; code: string; body: unknown; ms: number }
  | { state: 'cancelled' };

/** Longer than the maximum duration of a question, ms. */
const timeoutMs = 240_000;

/** Time after the end of a run in which a press starts no other: it is the second press of a double click, ms. */
const pauseMs = 500;

const questions: ReadonlySet<string> = new Set(['ask', 'menu', 'clickmap']);

/** What has begun ends with the connection. With an Idempotency-Key it would go on for a while after Cancel. */
function endsWithCall(action: string, args: Args): boolean {
  return action === 'scene' || action === 'speak' || args['queue'] === true;
}

interface Runs {
  of(action: string): Run | null;
  /** False while the action runs, and for a moment after its end. */
  isReady(action: string): boolean;
  /** Resolves when the run has ended. @returns null without a call: the action runs, or has just ended */
  start(action: string, args: Args): Promise<Run | null>;
  /** Cancels a run, which removes its question from the screen. */
  cancel(action: string): void;
}

/** Cancels all runs when the component unmounts, or the page is left. @param robot must not change while mounted */
export function useRuns(robot: string): Runs {
  const caller = useCaller();
  const [runs, setRuns] = useState<Readonly<Record<string, Run>>>({});
  const pending = useRef(new Map<string, AbortController>());
  const held = useRef(new Set<string>());
  const [ready, setReady] = useState<Readonly<Record<string, boolean>>>({});
  const path = `/console/v1/robots/${encodeURIComponent(robot)}`;

  const cancel = useCallback((action: string): void => pending.current.get(action)?.abort(), []);

  useEffect(() => {
    const calls = pending.current;
    const cancelAll = (): void => [...calls.keys()].forEach(cancel);
    // A browser keeps a page that was left, and its calls with it, which would hold up the next page.
    window.addEventListener('pagehide', cancelAll);
    return () => {
      window.removeEventListener('pagehide', cancelAll);
      cancelAll();
      calls.clear();
    };
  }, [cancel]);

  const start = useCallback(
    async (action: string, args: Args): Promise<Run | null> => {
      if (held.current.has(action)) return null;
      const hold = (isHeld: boolean): void => {
        held.current[isHeld ? 'add' : 'delete'](action);
        setReady((before) => ({ ...before, [action]: !isHeld }));
      };
      hold(true);
      // A browser resends a request on its own where the connection was closed meanwhile.
      const headers = endsWithCall(action, args) ? undefined : { 'Idempotency-Key': randomKey() };
      const call = new AbortController();
      const { signal } = call;
      pending.current.set(action, call);
      const since = performance.now();
      const update = (run: Run): Run => {
        if (pending.current.get(action) === call) setRuns((before) => ({ ...before, [action]: run }));
        return run;
      };
      update({ state: 'running', since, args });
      try {
        const body = await caller.post(`${path}/${action}`, args, { signal, timeoutMs, ...(headers && { headers }) });
        return update({ state: 'answered', body, ms: performance.now() - since });
      } catch (error) {
        const failure = failed(error, performance.now() - since);
        const run: Run = signal.aborted ? { state: 'cancelled' } : failure;
        // A browser may end the call of a page that is left before it says so. Not found: the question has ended, or was not asked yet.
        if (headers !== undefined && questions.has(action) && (signal.aborted || failure.status === 0))
          void caller.call('DELETE', `${path}/wait`, { headers, keepalive: true }).catch(() => {});
        return update(run);
      } finally {
        pending.current.delete(action);
        setTimeout(() => hold(false), pauseMs);
      }
    },
    [caller, path],
  );

  const of = useCallback((action: string) => runs[action] ?? null, [runs]);
  const isReady = useCallback((action: string) => ready[action] ?? true, [ready]);
  return { of, isReady, start, cancel };
}

function failed(error: unknown, ms: number): Extract<Run, { state: 'failed' }> {
  const { status, code, field, body } = error instanceof CallError ? error : { status: 0, code: 'unknown', field: null, body: null };
  return { state: 'failed', message: messageOf(error), field, status, code, body, ms };
}

/** Not by `randomUUID`, which only pages over https have. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
