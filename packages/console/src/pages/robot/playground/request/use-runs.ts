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

interface Runs {
  of(action: string): Run | null;
  /** Resolves when the run has ended. Cancels a pending run of the same action. */
  start(action: string, args: Args): Promise<Run>;
  /** Cancels a run, which removes its question from the screen. */
  cancel(action: string): void;
}

/** Cancels all runs when the component unmounts, or the page is left. @param robot must not change while mounted */
export function useRuns(robot: string): Runs {
  const caller = useCaller();
  const [runs, setRuns] = useState<Readonly<Record<string, Run>>>({});
  const pending = useRef(new Map<string, AbortController>());

  useEffect(() => {
    const calls = pending.current;
    const abort = (): void => {
      for (const call of calls.values()) call.abort();
    };
    // A browser keeps a page that was left, and its calls with it, which would hold up the next page.
    window.addEventListener('pagehide', abort);
    return () => {
      window.removeEventListener('pagehide', abort);
      abort();
      calls.clear();
    };
  }, []);

  const start = useCallback(
    async (action: string, args: Args): Promise<Run> => {
      pending.current.get(action)?.abort();
      const call = new AbortController();
      pending.current.set(action, call);
      const since = performance.now();
      const update = (run: Run): Run => {
        if (pending.current.get(action) === call || run.state === 'running') setRuns((before) => ({ ...before, [action]: run }));
        return run;
      };
      update({ state: 'running', since, args });
      try {
        const body = await caller.post(`/console/v1/robots/${encodeURIComponent(robot)}/${action}`, args, { signal: call.signal, timeoutMs });
        return update({ state: 'answered', body, ms: performance.now() - since });
      } catch (error) {
        if (call.signal.aborted) return update({ state: 'cancelled' });
        return update(failed(error, performance.now() - since));
      } finally {
        if (pending.current.get(action) === call) pending.current.delete(action);
      }
    },
    [caller, robot],
  );

  const cancel = useCallback((action: string) => pending.current.get(action)?.abort(), []);
  const of = useCallback((action: string) => runs[action] ?? null, [runs]);
  return { of, start, cancel };
}

function failed(error: unknown, ms: number): Run {
  const { status, code, field, body } = error instanceof CallError ? error : { status: 0, code: 'unknown', field: null, body: null };
  return { state: 'failed', message: messageOf(error), field, status, code, body, ms };
}
