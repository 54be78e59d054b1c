/** Kills a robot-link half-way and measures the time until every robot it held has a session again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from '@perch/bench';
import type { System } from './system/system.js';
import type { WorkerStorm } from './worker/plan.js';

export interface MeasuredStorm {
  killed: string;
  lost: number;
  back: number;
  backS: number | null;
}

export interface StormOptions {
  system: Pick<System, 'storm'>;
  workers: readonly Pick<Worker, 'ask'>[];
  afterMs: number;
  log: (line: string) => void;
  signal: AbortSignal;
}

const everyMs = 200;
/** Sockets of a killed process close at once, or after a moment on another machine. */
const lostWithinMs = 2000;
const giveUpMs = 120_000;

export async function measureStorm({ system, workers, afterMs, log, signal }: StormOptions): Promise<MeasuredStorm> {
  await sleep(afterMs, undefined, { signal });
  await Promise.all(workers.map((worker) => worker.ask('stormBegins')));
  const at = Date.now();
  const killed = await system.storm();
  log(`killed ${killed}`);
  for (;;) {
    await sleep(everyMs, undefined, { signal });
    const storms = await Promise.all(workers.map((worker) => worker.ask<WorkerStorm>('storm')));
    const lost = storms.reduce((sum, storm) => sum + storm.lost, 0);
    const back = storms.reduce((sum, storm) => sum + storm.back, 0);
    const sinceMs = Date.now() - at;
    const isOver = back >= lost && sinceMs > lostWithinMs;
    if (!isOver && sinceMs < giveUpMs) continue;
    await Promise.all(workers.map((worker) => worker.ask('stormEnds')));
    const backS = isOver ? Math.round(Math.max(0, ...storms.map(({ lastBackAt }) => lastBackAt - at)) / 10) / 100 : null;
    log(isOver ? `${lost} robots lost their session, all are back after ${backS} s` : `${lost - back} of ${lost} robots are still away`);
    return { killed, lost, back, backS };
  }
}
