/** Counted at the client by a proxy, and compared with the server's count. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench.js';
import { inFlights } from '../plan.js';
import { countedSince, countsSince, redisCounts, total, type RedisCounts } from '../redis-stats.js';
import { median } from '../statistics.js';
import type { Perch } from '../variants/perch.js';

/** No script of Perch calls these: their count at the server must equal that at the client. */
const sentOnly = ['evalsha', 'publish', 'spublish'];

const asksMax = 20;

export async function measureRedisTraffic(bench: Bench): Promise<void> {
  bench.log('Redis commands and bytes, one Redis');
  await oneRedis(bench, await bench.shared('proxied'));
  bench.log('Redis commands, a Cluster of three');
  await bench.withPerch({ redis: 'cluster', renderers: 0 }, (perch) => cluster(bench, perch));
}

async function oneRedis(bench: Bench, perch: Perch): Promise<void> {
  const { figures, plan } = bench;
  const proxy = perch.proxy!;
  await bench.warmUp(perch);
  const idle = await idleTraffic(bench, perch);
  let differing = 0;
  for (const inFlight of inFlights) {
    const commands: number[] = [];
    const bytes: number[] = [];
    const turns: number[] = [];
    for (let round = 0; round < plan.rounds; round++) {
      const before = await bothCounts(perch);
      proxy.roundTripsBeforePublish.length = 0;
      const run = await bench.run(perch, { calls: plan.calls[inFlight], inFlight });
      const after = await bothCounts(perch);
      const counted = countsSince(before.server, after.server);
      const sent = countedSince(before.sent, after.sent);
      const seconds = run.elapsedMs / 1000;
      commands.push((total(sent) - idle.commandsPerS * seconds) / run.calls);
      bytes.push((counted.bytes - idle.bytesOfAsking - idle.bytesPerS * seconds) / run.calls);
      turns.push(median(proxy.roundTripsBeforePublish));
      for (const name of sentOnly) differing += Math.abs((sent.get(name) ?? 0) - (counted.commands.get(name) ?? 0));
    }
    figures.set(`commands, ${inFlight} in flight`, commands);
    if (inFlight === 16) figures.set('bytes, 16 in flight', bytes);
    if (inFlight === 1) figures.set('awaited round trips', turns);
  }
  figures.set('commands the server counted otherwise than the client', [differing]);
}

/** Clients find the nodes of a Cluster past any proxy: only the server's count is available. */
async function cluster(bench: Bench, perch: Perch): Promise<void> {
  const { plan, figures } = bench;
  await bench.warmUp(perch);
  for (const inFlight of inFlights) {
    const commands: number[] = [];
    for (let round = 0; round < plan.rounds; round++) {
      const before = await redisCounts(perch.redisPorts);
      const run = await bench.run(perch, { calls: plan.calls[inFlight], inFlight });
      const counted = countsSince(before, await redisCounts(perch.redisPorts)).commands;
      commands.push(sentOnly.reduce((sum, name) => sum + (counted.get(name) ?? 0), 0) / run.calls);
    }
    figures.set(`commands on a Cluster, ${inFlight} in flight`, commands);
  }
}

/** Of the same moment, with retries if heartbeats and leases interfere. */
async function bothCounts({ proxy, redisPorts }: Perch): Promise<{ sent: Map<string, number>; server: RedisCounts }> {
  for (let tries = 1; ; tries++) {
    const sent = new Map(proxy!.commands);
    const server = await redisCounts(redisPorts);
    if (tries === asksMax || sentOnly.every((name) => sent.get(name) === proxy!.commands.get(name))) return { sent, server };
  }
}

interface IdleTraffic {
  commandsPerS: number;
  bytesPerS: number;
  bytesOfAsking: number;
}

/** Heartbeats, clocks and queues. */
async function idleTraffic({ plan }: Bench, { proxy, redisPorts }: Perch): Promise<IdleTraffic> {
  const sentBefore = total(proxy!.commands);
  const before = await redisCounts(redisPorts);
  const startedAt = performance.now();
  await pause(plan.settleMs);
  const seconds = (performance.now() - startedAt) / 1000;
  const commandsPerS = (total(proxy!.commands) - sentBefore) / seconds;
  const after = await redisCounts(redisPorts);
  const bytesOfAsking = countsSince(after, await redisCounts(redisPorts)).bytes;
  return { commandsPerS, bytesPerS: (countsSince(before, after).bytes - bytesOfAsking) / seconds, bytesOfAsking };
}
