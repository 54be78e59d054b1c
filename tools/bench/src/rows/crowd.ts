/** Many robots on one robot-link: memory, what they cost while idle, what an action costs among them, how late the event loop runs. */
import type { Bench } from '../bench.js';
import { residentBytes } from '../operating-system.js';
import { pause } from '../pause.js';
import { total } from '../redis-stats.js';
import { metric } from '../service-metrics.js';
import type { Fleet } from '../robots/fleet.js';
import { startSocketIo } from '../variants/comparators.js';
import { Perch } from '../variants/perch.js';
import type { Variant } from '../variants/variant.js';
import { Worker } from '../worker.js';
import { inTurns, recordGrowth } from './growth.js';

const reportEveryS = 2;
/** Memory stands still when a second changes it by less. */
const stillBytes = 200_000;

export async function measureCrowd(bench: Bench): Promise<void> {
  const { manyRobots } = bench.plan;
  bench.say(`${manyRobots} robots`);
  const crowd = await Perch.startEmpty(bench.perchOptions({ redis: 'wire', robots: manyRobots, renderers: 0 }));
  try {
    const withoutRobots = await commandsPerS(crowd, bench.plan.settleMs);
    await memories(bench, crowd);
    await savedAll(bench, crowd, withoutRobots);
    const [small, big] = await inTurns(bench, [
      { perch: await bench.shared('wire'), inFlight: 16 },
      { perch: crowd, inFlight: 16 },
    ]);
    recordGrowth(bench, 'many robots against few', [small!, big!]);
    await idleRobots(bench, crowd, withoutRobots);
    await eventLoops(bench, crowd);
  } finally {
    await crowd.stop();
  }
}

async function memories(bench: Bench, crowd: Perch): Promise<void> {
  if (bench.plan.memory) return memoryOfSocketIo(bench, await memory(bench, crowd));
  bench.figures.leaveToWholeRun('memory per robot', 'memory per robot against S', 'memory, the last half against the first', 'memory per robot of S');
  await crowd.connectRobots(bench.plan.manyRobots);
}

async function memory(bench: Bench, crowd: Perch): Promise<number> {
  const { perRobot, firstHalf, lastHalf } = await memoryOf(bench, crowd);
  bench.figures.set('memory per robot', [perRobot / 1000]);
  bench.figures.set('memory, the last half against the first', [lastHalf / firstHalf]);
  return perRobot;
}

async function memoryOfSocketIo(bench: Bench, perRobotOfPerch: number): Promise<void> {
  const { plan, redisBinary } = bench;
  // A process of their own: twice ten thousand sockets are more than many a machine lets one have.
  const robotsWorker = new Worker('robots/robots-main');
  const variant = await startSocketIo({ robotsWorker, redisBinary, keys: 1, robots: plan.manyRobots });
  try {
    const { perRobot } = await memoryOf(bench, variant);
    bench.figures.set('memory per robot of S', [perRobot / 1000]);
    bench.figures.set('memory per robot against S', [perRobotOfPerch / perRobot]);
  } finally {
    await variant.stop();
    await robotsWorker.stop();
  }
}

/** Bytes per robot: all, and those that came first and last. The first few are not counted: they bring the code into memory. */
async function memoryOf(bench: Bench, variant: Variant): Promise<{ perRobot: number; firstHalf: number; lastHalf: number }> {
  const { manyRobots } = bench.plan;
  const few = Math.ceil(manyRobots / 50);
  const half = Math.floor((manyRobots - few) / 2);
  const held: number[] = [];
  for (const robots of [few, few + half, few + 2 * half]) {
    await variant.connectRobots(robots);
    await reportOnce(variant.fleet);
    held.push(await settledBytes(bench, variant.robotsPid));
  }
  const [atFew, atHalf, atAll] = held as [number, number, number];
  return { perRobot: (atAll - atFew) / (2 * half), firstHalf: (atHalf - atFew) / half, lastHalf: (atAll - atHalf) / half };
}

/** So that every robot has its state. */
async function reportOnce(fleet: Fleet): Promise<void> {
  const perS = 4000;
  await fleet.report({ perS, forMs: (fleet.robots.length * 1000) / perS + 100 });
}

/** The process says nothing about garbage; what it holds when it came to rest is what it costs. */
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

/** Commands of connected robots that report and do nothing else, less those of the same system without robots. */
async function idleRobots(bench: Bench, crowd: Perch, withoutRobotsPerS: number): Promise<void> {
  const { idleMs } = bench.plan;
  if (idleMs === null) return bench.figures.leaveToWholeRun('commands of an idle robot');
  const robots = crowd.fleet.robots.length;
  // Robots that did not report for a while are all due at once, and after that each half minute: that first wave is not counted.
  const waveMs = Math.min(3 * reportEveryS * 1000, idleMs);
  const reports = crowd.fleet.report({ perS: robots / reportEveryS, forMs: waveMs + idleMs });
  await pause(waveMs);
  const perS = await commandsPerS(crowd, idleMs);
  await reports;
  bench.figures.set('commands of an idle robot', [((perS - withoutRobotsPerS) / robots) * 30]);
}

async function commandsPerS({ wire }: Perch, forMs: number): Promise<number> {
  const before = total(wire!.commands);
  const startedAt = performance.now();
  await pause(forMs);
  return ((total(wire!.commands) - before) * 1000) / (performance.now() - startedAt);
}

/** Robots that reported are saved once more each, over the next half minute: that is no action's cost. */
async function savedAll({ plan }: Bench, crowd: Perch, withoutRobotsPerS: number): Promise<void> {
  if (plan.idleMs === null) return;
  const giveUpAt = performance.now() + plan.idleMs + reportEveryS * 1000;
  while (performance.now() < giveUpAt && (await commandsPerS(crowd, 1000)) > 2 * withoutRobotsPerS + 5);
}

async function eventLoops(bench: Bench, crowd: Perch): Promise<void> {
  const { manyRobots, eventLoop } = bench.plan;
  const { rounds, forMs, actionsPerS } = eventLoop;
  bench.say(`${actionsPerS} actions/s among ${manyRobots} reporting robots`);
  const reports = crowd.fleet.report({ perS: manyRobots / reportEveryS, forMs: rounds * forMs });
  const calls = (forMs / 1000) * actionsPerS;
  const delayMs = async (service: Parameters<typeof metric>[0]): Promise<number> =>
    (await metric(service, 'perch_event_loop_delay_seconds', 'quantile="0.99"')) * 1000;
  const delays: { gateway: number[]; link: number[] } = { gateway: [], link: [] };
  for (let round = 0; round < rounds; round++) {
    await bench.run(crowd, { calls, inFlight: 32, perS: actionsPerS, withinMs: forMs });
    // Read before the load is off: the gauge has the worse of the last full window and the one under way.
    delays.gateway.push(await delayMs(crowd.gateway));
    delays.link.push(await delayMs(crowd.link));
  }
  bench.figures.set('event loop delay of the gateway, p99', delays.gateway);
  bench.figures.set('event loop delay of the robot-link, p99', delays.link);
  await reports;
}
