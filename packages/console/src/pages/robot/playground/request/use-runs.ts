/** The calls that the playground makes: the last of each action, so that one waits for its tap while another is made. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useCaller } from '../../../../api/api.js';
import { CallError, messageOf } from '../../../../api/call-error.js';
import type { Args } from '../draft/draft.js';

export type Run =
  | { state: 'running'; since: number }
  | { state: 'answered'; body: unknown; ms: number }
  | { state: 'failed'; message: string; field: string | null; status: number; code: string; body: unknown; ms: number }
  | { state: 'cancelled' };

/** Longer than any question waits. */
const timeoutMs = 240_000;

interface Runs {
  of(action: string): Run | null;
  /** Resolves when it has ended; a run of the same action that goes on is given up. */
  start(action: string, args: Args): Promise<Run>;
  /** Gives a call up, which takes its question away. */
  cancel(action: string): void;
}

/** Calls end when the component goes. @param robot the same while it is there */
export function useRuns(robot: string): Runs {
  const caller = useCaller();
  const [runs, setRuns] = useState<Readonly<Record<string, Run>>>({});
  const going = useRef(new Map<string, AbortController>());

  useEffect(() => {
    const calls = going.current;
    return () => {
      for (const call of calls.values()) call.abort();
      calls.clear();
    };
  }, []);

  const start = useCallback(
    async (action: string, args: Args): Promise<Run> => {
      going.current.get(action)?.abort();
      const call = new AbortController();
      going.current.set(action, call);
      const since = performance.now();
      const tell = (run: Run): Run => {
        if (going.current.get(action) === call || run.state === 'running') setRuns((before) => ({ ...before, [action]: run }));
        return run;
      };
      tell({ state: 'running', since });
      try {
        const body = await caller.post(`/console/v1/robots/${encodeURIComponent(robot)}/${action}`, args, { signal: call.signal, timeoutMs });
        return tell({ state: 'answered', body, ms: performance.now() - since });
      } catch (error) {
        if (call.signal.aborted) return tell({ state: 'cancelled' });
        return tell(failed(error, performance.now() - since));
      } finally {
        if (going.current.get(action) === call) going.current.delete(action);
      }
    },
    [caller, robot],
  );

  const cancel = useCallback((action: string) => going.current.get(action)?.abort(), []);
  return { of: (action) => runs[action] ?? null, start, cancel };
}

function failed(error: unknown, ms: number): Run {
  const { status, code, field, body } = error instanceof CallError ? error : { status: 0, code: 'unknown', field: null, body: null };
  return { state: 'failed', message: messageOf(error), field, status, code, body, ms };
}
