/** A run: services, accounts, workers, load, storm, report; everything is removed again, also after a failure or a signal. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Worker } from '@perch/bench';
import { Random } from '@perch/chaos';
import { redisAccessTo } from '@perch/launcher';
import { openStore, type Store } from '@perch/store';
import type { Mix } from './mix.js';
import type { LoadArguments } from './options.js';
import { workerName } from './report/assemble.js';
import type { Report } from './report/report.js';
import { reportOf } from './report/report-of.js';
import { shareOf } from './schedule.js';
import { measureStorm, type MeasuredStorm } from './storm.js';
import { GivenSystem } from './system/given-system.js';
import { OwnSystem, watched } from './system/own-system.js';
import type { System } from './system/system.js';
import { Tenants } from './tenants.js';
import { Watch } from './watch.js';
import { programsProcess } from './worker/node-options.js';
import type { PreparedWorker, WorkerPlan, WorkerResult } from './worker/plan.js';

export interface RunOptions {
  args: LoadArguments;
  mix: Mix;
  env: NodeJS.ProcessEnv;
  log: (line: string) => void;
  /** Aborting it ends the run early; accounts are removed in any case. */
  signal: AbortSignal;
}

/** Counter of heartbeats that were later than other instances tolerate. */
const lateHeartbeats = 'perch_heartbeats_late_total';
const settleWithinMs = 40_000;

/** @throws an Error if the run failed; accounts, workers and services are removed then, too */
export async function runLoad({ args, mix, env, log, signal }: RunOptions): Promise<Report> {
  const seed = args.seed ?? randomBytes(4).toString('hex');
  const random = new Random(`${seed}/${args.part.index}`);
  const robots = shareOf(args.robots, args.part.index, args.part.count);
  const ratePerS = args.rate / args.part.count;
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const { system, store } = await openSystem(args, env, log, undo);
    signal.throwIfAborted();
    const tenants = new Tenants(store);
    // A Redis of its own is deleted with its data.
    if (env['PERCH_REDIS_URL']) {
      undo.push(() => {
        log('removing the accounts');
        return tenants.remove();
      });
    }
    log(`making ${Math.ceil(robots / mix.robots_per_account)} accounts with ${robots} robots, seed ${seed}`);
    const run = randomBytes(4).toString('hex');
    await tenants.make({ store, run, robots, ratePerS, mix, webhooks: system.webhookHost !== null, random }, signal);

    const workers = Array.from({ length: args.workers }, () => new Worker('worker/worker-main', import.meta.url, programsProcess));
    undo.push(() => Promise.all(workers.map((worker) => worker.stop())));
    const plans = plansOf({ args, mix, system, seed: `${run}-${seed}`, ratePerS, tenants });
    const prepared = await Promise.all(workers.map((worker, i) => worker.ask<PreparedWorker>('prepare', plans[i])));
    const workerOf = new Map(plans.flatMap(({ accounts }, i) => accounts.map(({ account }) => [account, i] as const)));
    if (system.webhookHost !== null) await tenants.sendWebhooksTo((account) => prepared[workerOf.get(account)!]!.webhookUrl!);
    undo.push(() => Promise.all(workers.map((worker) => worker.ask('stop'))));

    log('connecting the robots');
    const connectWithinMs = 30_000 + robots * 10;
    const connected = (await aborted(signal, Promise.all(workers.map((worker) => worker.ask<number>('connect', connectWithinMs))))).reduce(
      (a, b) => a + b,
      0,
    );
    if (connected < robots) log(`only ${connected} of ${robots} robots are connected`);
    await aborted(signal, Promise.all(workers.map((worker) => worker.ask('read'))));

    log(`${args.rate} calls a second for ${args.minutes} min`);
    const lateBefore = await system.counter(lateHeartbeats);
    const durationMs = args.minutes * 60_000;
    const own = workers.flatMap(({ pid }, i) => [
      watched(`${workerName} ${i + 1}: programs`, pid, { children: false }),
      watched(`${workerName} ${i + 1}: robots`, prepared[i]!.robotsPid),
    ]);
    const watch = await Watch.start({ workers, processes: [...system.processes, ...own], durationMs, log });
    undo.push(() => Promise.resolve(watch.end()));
    const storm = args.storm ? measureStorm({ system, workers, afterMs: durationMs / 2, log, signal }) : Promise.resolve<MeasuredStorm | null>(null);
    await aborted(signal, Promise.all([...workers.map((worker) => worker.ask('run')), storm]));
    await watch.stop();
    const lateAfter = await system.counter(lateHeartbeats);
    log('waiting for the last answers and events');
    const results = await aborted(signal, Promise.all(workers.map((worker) => worker.ask<WorkerResult>('finish', settleWithinMs))));
    return reportOf({
      args,
      mix,
      seed,
      version: versionOf(),
      robots,
      results,
      series: watch.series,
      processes: watch.processes,
      storm: await storm,
      lateHeartbeats: lateBefore === null || lateAfter === null ? null : Math.max(0, lateAfter - lateBefore),
      trouble: system.trouble,
    });
  } finally {
    for (const step of undo.reverse())
      await step().catch((error: unknown) => log(`cleaning up: ${error instanceof Error ? error.message : String(error)}`));
  }
}

async function openSystem(
  args: LoadArguments,
  env: NodeJS.ProcessEnv,
  log: (line: string) => void,
  undo: (() => Promise<unknown>)[],
): Promise<{ system: System; store: Store }> {
  const open = async (url: string): Promise<Store> => {
    const store = await openStore({ ...redisAccessTo(url, env), instance: `load-${randomBytes(4).toString('hex')}` });
    undo.push(() => store.close());
    return store;
  };
  if (args.base !== null) {
    const url = env['PERCH_REDIS_URL']!;
    const store = await open(url);
    return { store, system: await GivenSystem.open(args, url, store) };
  }
  log('starting the services');
  const system = await OwnSystem.start(args, env);
  undo.push(() => system.stop());
  return { system, store: await open(system.redisUrl) };
}

function plansOf(options: { args: LoadArguments; mix: Mix; system: System; seed: string; ratePerS: number; tenants: Tenants }): WorkerPlan[] {
  const { args, mix, system, seed, ratePerS, tenants } = options;
  // If the workers divide evenly among the robot-links, all robots of a worker dial the same one: in a storm, workers that lose no robot are not busy
  // with reconnects.
  const spreads = args.workers % system.links.length !== 0;
  let robotsBefore = 0;
  return Array.from({ length: args.workers }, (_, i) => {
    const accounts = tenants.accounts.filter((_account, at) => at % args.workers === i);
    const before = robotsBefore;
    robotsBefore += accounts.reduce((sum, { robots }) => sum + robots.length, 0);
    return {
      seed: `${seed}-${i}`,
      bases: system.bases,
      links: system.links,
      firstLink: spreads ? before : i,
      spreads,
      webhookHost: system.webhookHost,
      mix,
      ratePerS: (ratePerS * accounts.length) / tenants.accounts.length,
      durationMs: args.minutes * 60_000,
      accounts,
    };
  });
}

async function aborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let end = (): void => undefined;
  const ended = new Promise<never>((_, reject) => {
    end = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
  try {
    return await Promise.race([work, ended]);
  } finally {
    signal.removeEventListener('abort', end);
    work.catch(() => undefined);
  }
}

function versionOf(): string {
  return (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;
}
