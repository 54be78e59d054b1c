/** Many robots on one robot-link: memory, idle cost, cost of an action among them, event loop delay. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench.js';
import { residentBytes } from '../operating-system.js';
import { total } from '../redis-stats.js';
import { ratios } from '../statistics.js';
import { metric } from '../service-metrics.js';
import type { Fleet } from '../robots/fleet.js';
import { startSocketIo } from '../variants/comparators.js';
import { Perch } from '../variants/perch.js';
import type { Variant } from '../variants/variant.js';
import { Worker } from '../worker.js';
import { measureAlternately } from './growth.js';

const reportEveryS = 2;
const stillBytes = 200_000;

export async function measureManyRobots(bench: Bench): Promise<void> {
  const { manyRobots } = bench.plan;
  bench.log(`${manyRobots} robots`);
  const perch = await Perch.startEmpty(bench.perchOptions({ redis: 'proxied', robots: manyRobots, renderers: 0 }));
  try {
    const withoutRobots = await commandsPerS(perch, bench.plan.settleMs);
    await memories(bench, perch);
    await savedAll(bench, perch, withoutRobots);
    const [small, big] = await measureAlternately(bench, [
      { perch: await bench.shared('proxied'), inFlight: 16 },
      { perch, inFlight: 16 },
    ]);
    bench.figures.set('CPU, many robots against few', ratios(big!.cpuMs, small!.cpuMs));
    bench.figures.set('commands, many robots against few', ratios(big!.commands, small!.commands));
    await idleRobots(bench, perch, withoutRobots);
    await eventLoops(bench, perch);
  } finally {
    await perch.stop();
  }
}

async function memories(bench: Bench, perch: Perch): Promise<void> {
  if (bench.plan.memory) return memoryOfSocketIo(bench, await memory(bench, perch));
  bench.figures.leaveToWholeRun('memory per robot', 'memory per robot against S+', 'memory per robot of S+');
  await perch.connectRobots(bench.plan.manyRobots);
}

async function memory(bench: Bench, perch: Perch): Promise<number> {
  const perRobot = await memoryOf(bench, perch);
  bench.figures.set('memory per robot', [perRobot / 1000]);
  return perRobot;
}

async function memoryOfSocketIo(bench: Bench, perRobotOfPerch: number): Promise<void> {
  const { plan, redisBinary } = bench;
  // A separate process: twice ten thousand sockets exceed many machines' limit per process.
  const robotsWorker = new Worker('robots/robots-main');
  const variant = await startSocketIo({ robotsWorker, redisBinary, keys: 1, robots: plan.manyRobots });
  try {
    const perRobot = await memoryOf(bench, variant);
    bench.figures.set('memory per robot of S+', [perRobot / 1000]);
    bench.figures.set('memory per robot against S+', [perRobotOfPerch / perRobot]);
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

/** A process does not tell how much of its memory is garbage. */
async function settledBytes({ plan }: Bench, pid: number): Promise<number> {
  const giveUpAt = performance.now() + plan.settleMs;
  let last = residentBytes(pid);
  let lowest = last;
  for (let still = 0; still < 3 && performance.now() < giveUpAt;) {
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

async function eventLoops(bench: Bench, perch: Perch): Promise<void> {
  const { manyRobots, eventLoop } = bench.plan;
  const { rounds, forMs, actionsPerS } = eventLoop;
  bench.log(`${actionsPerS} actions/s among ${manyRobots} reporting robots`);
  const reports = perch.fleet.report({ perS: manyRobots / reportEveryS, forMs: rounds * forMs });
  const calls = (forMs / 1000) * actionsPerS;
  const delayMs = async (service: Parameters<typeof metric>[0]): Promise<number> =>
    (await metric(service, 'perch_event_loop_delay_seconds', 'quantile="0.99"')) * 1000;
  const delays: { gateway: number[]; link: number[] } = { gateway: [], link: [] };
  for (let round = 0; round < rounds; round++) {
    await bench.run(perch, { calls, inFlight: 32, perS: actionsPerS, withinMs: forMs });
    // Read under load: the gauge has the maximum of the last full window and the current one.
    delays.gateway.push(await delayMs(perch.gateway));
    delays.link.push(await delayMs(perch.link));
  }
  bench.figures.set('event loop delay of the gateway, p99', delays.gateway);
  bench.figures.set('event loop delay of the robot-link, p99', delays.link);
  await reports;
}
