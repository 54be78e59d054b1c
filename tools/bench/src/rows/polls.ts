/** Long polls: the cost of thousands of them in connections to Redis, and whether each is answered when an event occurs. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench.js';
import type { PollsAnswered } from '../load/load.js';
import { connectionsTo, residentBytes } from '../operating-system.js';
import { metric } from '../service-metrics.js';
import type { Perch } from '../variants/perch.js';

const pollS = 60;
const heldWithinMs = 40_000;

export async function measurePolls(bench: Bench): Promise<void> {
  const { polls } = bench.plan;
  bench.log(`${polls} long polls`);
  const perch = await bench.shared('plain');
  const { gateway, redisPorts, targets } = perch;
  const connections = (): number => Math.max(...redisPorts.map((port) => connectionsTo(gateway.pid, port)));
  await bench.load.ask('poll', targets, { polls: 1, seconds: pollS });
  await held(bench, perch, 1);
  const withOne = connections();
  const memoryBefore = residentBytes(gateway.pid);
  await bench.load.ask('poll', targets, { polls: polls - 1, seconds: pollS });
  await held(bench, perch, polls);
  const withMany = connections();
  const memory = residentBytes(gateway.pid) - memoryBefore;
  await perch.fleet.tap();
  const { answered, wrong, wrongOnes } = await bench.load.ask<PollsAnswered>('pollsAnswered');
  if (wrong > 0 || answered !== polls) bench.mark(Math.max(wrong, 1), `polls: ${wrong} of ${answered} wrong: ${wrongOnes.join(' | ')}`);
  bench.figures.set('connections with many polls', [withMany]);
  bench.figures.set('connections more than with 1 poll', [withMany - withOne]);
  bench.figures.set('memory per held poll', [memory / (polls - 1) / 1000]);
}

async function held({ load }: Bench, { gateway }: Perch, polls: number): Promise<void> {
  const giveUpAt = performance.now() + heldWithinMs;
  for (;;) {
    const count = await metric(gateway, 'perch_gateway_held_calls', 'kind="poll"');
    if (count === polls) return;
    const wrong = await load.ask<string[]>('wrongPolls');
    if (wrong.length > 0 || performance.now() > giveUpAt) throw new Error(`${count} of ${polls} polls are held: ${wrong.join(' | ')}`);
    await pause(50);
  }
}
