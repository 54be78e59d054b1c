import { setTimeout as sleep } from 'node:timers/promises';
import { inScene, type SceneAnswer, type SceneStep } from '@perch/schema';
import type { Call } from '../../calls/call.js';
import { asApiError, TakenOver } from '../../calls/failures.js';
import type { KeyValidity } from '../../calls/key-validity.js';
import type { ActionServices, PerformAction } from '../definition/action.js';

type Results = SceneAnswer['results'];

export interface SceneRun {
  call: Call;
  steps: readonly SceneStep[];
  perform: PerformAction;
  clock: ActionServices['clock'];
  keyValidity: KeyValidity;
}

export function isTimed(steps: readonly SceneStep[]): boolean {
  return steps.some(({ atMs }) => atMs !== null);
}

/** A step with a time starts then; any other once those before it are done. Throws the first failed step's error, with the results before it. */
export async function performSteps({ call, steps, perform, clock, keyValidity }: SceneRun): Promise<Results> {
  const zero = performance.now();
  const timed = isTimed(steps);
  const results = new Map<number, Results[number]>();
  const failures = new Map<number, unknown>();
  const failed = new AbortController();
  const ending = AbortSignal.any([call.signal, failed.signal]);
  const running: Promise<void>[] = [];
  const start = async (at: number, { action, args }: SceneStep): Promise<void> => {
    try {
      call.signal.throwIfAborted();
      await keyValidity.require(call, 'before the scene was over');
      // The deadlines of an action count from when it begins.
      const own = timed ? call.part(at, clock.now()) : call.restarted(clock.now());
      results.set(at, { ...(await perform(action, own, args)) });
    } catch (error) {
      failures.set(at, error);
      failed.abort();
    }
  };
  for (const [at, step] of steps.entries()) {
    if (step.atMs === null) await Promise.all(running);
    else await until(zero + step.atMs, ending);
    if (failures.size > 0) break;
    running.push(start(at, step));
    if (step.atMs === null) await Promise.all(running);
  }
  await Promise.all(running);
  if (failures.size > 0) throw failureOf(call, failures, results);
  return steps.map((_, at) => results.get(at)!);
}

function failureOf(call: Call, failures: ReadonlyMap<number, unknown>, results: ReadonlyMap<number, Results[number]>): unknown {
  const at = Math.min(...failures.keys());
  // The call was cancelled, or another gateway answers it: no client reads the results.
  const ending = [...failures.values()].find((error) => error instanceof TakenOver || (call.signal.aborted && error === call.signal.reason));
  if (ending !== undefined) return ending;
  const failure = inScene(asApiError(failures.get(at)), at);
  return failure.with(failure.message, { results: Array.from({ length: at }, (_, index) => results.get(index)!) });
}

/** Returns at once, without leaving the event-loop iteration, when the time has come: steps with the same time start together. */
async function until(time: number, signal: AbortSignal): Promise<void> {
  const leftMs = time - performance.now();
  if (leftMs <= 0 || signal.aborted) return;
  await sleep(leftMs, undefined, { signal }).catch(() => undefined);
}
