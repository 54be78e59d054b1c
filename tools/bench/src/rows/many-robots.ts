/** Many robots on one robot-link: memory, idle cost, cost of an action among them, its latency while others ask. */
import { setTimeout as pause } from 'node:timers/promises';
import { roomy, type Bench } from '../bench.js';
import { residentBytes } from '../operating-system.js';
import { total } from '../redis-stats.js';
import { ratios } from '../statistics.js';
import type { Fleet } from '../robots/fleet.js';
import { startSocketIo } from '../variants/comparators.js';
import { Perch } from '../variants/perch.js';
import type { Variant } from '../variants/variant.js';
import { Worker } from '../worker.js';
import { measureAlternately } from './growth.js';
import { newQuestion } from './questions.js';

const reportEveryS = 2;
const stillBytes = 200_000;
const collector = new URL('../../programs/collector.mjs', import.meta.url);

export async function measureManyRobots(bench: Bench): Promise<void> {
  const { manyRobots } = bench.plan;
  await memories(bench);
  bench.log(`${manyRobots} robots`);
  const perch = await Perch.startEmpty(bench.perchOptions({ redis: 'proxied', robots: manyRobots, env: { ...bench.env, ...roomy } }));
  try {
    const withoutRobots = await commandsPerS(perch, bench.plan.settleMs);
    await perch.connectRobots(manyRobots);
    await savedAll(bench, perch, withoutRobots);
    // Before all calls: for a minute after them, a gateway reads the limits of their accounts with each heartbeat.
    await idleRobots(bench, perch, withoutRobots);
    await savedAll(bench, perch, withoutRobots);
    const [small, big] = await measureAlternately(bench, [
      { perch: await bench.shared('proxied'), inFlight: 16 },
      { perch, inFlight: 16 },
    ]);
    bench.figures.set('CPU, many robots against few', ratios(big!.cpuMs, small!.cpuMs));
    bench.figures.set('commands, many robots against few', ratios(big!.commands, small!.commands));
    await actionsAmongMany(bench, perch);
  } finally {
    await perch.stop();
  }
}

/** Measures several processes of each variant: memory differs from one to the next. */
async function memories(bench: Bench): Promise<void> {
  const { figures, plan } = bench;
  if (plan.memoryProcesses === 0) return figures.leaveToWholeRun('memory per robot', 'memory per robot against S+', 'memory per robot of S+');
  const ofPerch: number[] = [];
  const ofSocketIo: number[] = [];
  for (let i = 0; i < plan.memoryProcesses; i++) {
    bench.log(`memory of ${plan.manyRobots} robots, process ${i + 1} of ${plan.memoryProcesses}`);
    ofPerch.push(await memoryOfPerch(bench));
    ofSocketIo.push(await memoryOfSocketIo(bench));
  }
  figures.set(
    'memory per robot',
    ofPerch.map((bytes) => bytes / 1000),
  );
  figures.set(
    'memory per robot of S+',
    ofSocketIo.map((bytes) => bytes / 1000),
  );
  figures.set('memory per robot against S+', ratios(ofPerch, ofSocketIo));
}

async function memoryOfPerch(bench: Bench): Promise<number> {
  const env = { ...bench.env, NODE_OPTIONS: `--import ${collector.href}` };
  const perch = await Perch.startEmpty(bench.perchOptions({ robots: bench.plan.manyRobots, renderers: 0, env }));
  try {
    return await memoryOf(bench, perch);
  } finally {
    await perch.stop();
  }
}

async function memoryOfSocketIo(bench: Bench): Promise<number> {
  const { plan, redisBinary } = bench;
  // A separate process: twice ten thousand sockets exceed many machines' limit per process.
  const robotsWorker = new Worker('robots/robots-main');
  const execArgv = ['--import', collector.href];
  const variant = await startSocketIo({ robotsWorker, redisBinary, keys: 1, robots: plan.manyRobots, execArgv });
  try {
    return await memoryOf(bench, variant);
  } finally {
    await variant.stop();
    await robotsWorker.stop();
  }
}

/** @returns bytes. The first few robots are not counted: they load code. */
async function memoryOf(bench: Bench, variant: Variant): Promise<number> {
  const { manyRobots } = bench.plan;
  const few = Math.ceil(manyRobots / 50);
  const held: number[] = [];
  for (const robots of [few, manyRobots]) {
    await variant.connectRobots(robots);
    await reportOnce(variant.fleet);
    held.push(await settledBytes(bench, variant.robotsPid));
  }
  return (held[1]! - held[0]!) / (manyRobots - few);
}

async function reportOnce(fleet: Fleet): Promise<void> {
  const perS = 4000;
  await fleet.report({ perS, forMs: (fleet.robots.length * 1000) / perS + 100 });
}

/** After a collection: a process does not tell how much of its memory is garbage. */
async function settledBytes({ plan }: Bench, pid: number): Promise<number> {
  const giveUpAt = performance.now() + plan.settleMs;
  let last = residentBytes(pid);
  let lowest = last;
  for (let still = 0; still < 3 && performance.now() < giveUpAt;) {
    process.kill(pid, 'SIGUSR2');
    await pause(Math.min(1000, plan.settleMs / 4));
    const now = residentBytes(pid);
    still = Math.abs(now - last) < stillBytes ? still + 1 : 0;
    last = now;
    lowest = Math.min(lowest, now);
  }
  return lowest;
}

async function idleRobots(bench: Bench, perch: Perch, withoutRobotsPerS: number): Promise<void> {
  const { idleMs } = bench.plan;
  if (idleMs === null) return bench.figures.leaveToWholeRun('commands of an idle robot');
  const robots = perch.fleet.robots.length;
  // Robots that did not report for a while are saved at once: the first wave is not counted.
  const waveMs = Math.min(3 * reportEveryS * 1000, idleMs);
  const reports = perch.fleet.report({ perS: robots / reportEveryS, forMs: waveMs + idleMs });
  await pause(waveMs);
  const perS = await commandsPerS(perch, idleMs);
  await reports;
  bench.figures.set('commands of an idle robot', [((perS - withoutRobotsPerS) / robots) * 30]);
}

async function commandsPerS({ proxy }: Perch, forMs: number): Promise<number> {
  const before = total(proxy!.commands);
  const startedAt = performance.now();
  await pause(forMs);
  return ((total(proxy!.commands) - before) * 1000) / (performance.now() - startedAt);
}

/** This is not the cost of an action. */
async function savedAll({ plan }: Bench, perch: Perch, withoutRobotsPerS: number): Promise<void> {
  if (plan.idleMs === null) return;
  const giveUpAt = performance.now() + plan.idleMs + reportEveryS * 1000;
  while (performance.now() < giveUpAt && (await commandsPerS(perch, 1000)) > 2 * withoutRobotsPerS + 5);
}

/** 500 of each: actions a second, and new questions a minute. */
async function actionsAmongMany(bench: Bench, perch: Perch): Promise<void> {
  const { manyRobots, crowd } = bench.plan;
  const { forMs, actionsPerS } = crowd;
  bench.log(`${actionsPerS} actions/s and as many questions a minute among ${manyRobots} reporting robots`);
  const asksPerS = actionsPerS / 60;
  const actions = { calls: (forMs / 1000) * actionsPerS, inFlight: 32, perS: actionsPerS };
  const asks = { ...newQuestion, calls: Math.ceil((forMs / 1000) * asksPerS), inFlight: 8, perS: asksPerS };
  await bench.warmUp(perch);
  await bench.warmUp(perch, { ...newQuestion, calls: bench.plan.pictureWarmUpCalls });
  const rounds = await bench.rounds('actions among many robots', async () => {
    const reports = perch.fleet.report({ perS: manyRobots / reportEveryS, forMs });
    const [run] = await bench.runTogether(perch, [actions, asks]);
    await reports;
    return run!;
  });
  bench.figures.set(
    'p99 of an action among many robots',
    rounds.map(({ p99Ms }) => p99Ms),
  );
  bench.figures.set(
    'p50 of an action among many robots',
    rounds.map(({ p50Ms }) => p50Ms),
  );
}
