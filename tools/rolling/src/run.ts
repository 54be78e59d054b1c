/** A run: the fleet starts with the version of the first phase, and each phase continues from the one before. */
import type { Micropython } from '@perch/micropython-robot';
import { Random, Stalls, CpuSteal } from '@perch/chaos';
import { openStore } from '@perch/store';
import { Fleet } from './fleet/fleet.js';
import { runPhase, type WaitPace } from './phase.js';
import type { Phase } from './plan.js';
import type { PhaseReport, RunReport } from './report.js';
import { SlowStorage, workIn } from './slow-storage.js';

export interface RunOptions {
  phases: readonly Phase[];
  robots: number;
  calls: number;
  /** Default: long enough for open waits at every replacement. */
  waits?: WaitPace;
  /** Runs the robot programs of both versions of a phase; null: all robots are virtual. */
  micropython?: Micropython | null;
  seed: string;
  env: NodeJS.ProcessEnv;
  progress: (line: string) => void;
  log: (line: string, instance: string) => void;
  onPhase: (phase: PhaseReport) => void;
}

const longWaits: WaitPace = { timeoutsS: [6, 10, 15, 20], thinkMs: [300, 12_000] };

/** Ends everything it started. @throws if nothing could be run */
export async function runRolling({
  phases,
  robots,
  calls,
  waits = longWaits,
  micropython = null,
  seed,
  env,
  progress,
  log,
  onPhase,
}: RunOptions): Promise<RunReport> {
  const startedAt = performance.now();
  const done: PhaseReport[] = [];
  let failure: string | null = null;
  const fleet = await Fleet.start({ tree: phases[0]!.from, env, log });
  const stalls = new Stalls();
  const cpuSteal = new CpuSteal();
  try {
    const store = await openStore({ url: fleet.redis.url, instance: 'rolling' });
    const slowStorage = new SlowStorage(async () => workIn(await store.connections.commands.info('cpu')));
    try {
      for (const [i, phase] of phases.entries()) {
        progress(`phase ${i + 1} of ${phases.length}: ${phase.from.version} -> ${phase.to.version}, ${phase.order.join(', ')}, ${phase.manner}`);
        const random = new Random(`${seed}/phase ${i}`);
        const report = await runPhase({ phase, fleet, store, robots, calls, waits, micropython, random, stalls, cpuSteal, slowStorage, progress });
        done.push(report);
        onPhase(report);
      }
    } catch (error) {
      failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
    } finally {
      await slowStorage.stop();
      await store.close();
    }
  } finally {
    stalls.stop();
    cpuSteal.stop();
    await fleet.stop();
  }
  return { seed, robots, phases: done, failure, seconds: Math.round((performance.now() - startedAt) / 1000) };
}
