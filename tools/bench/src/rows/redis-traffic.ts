/** Counts Redis commands and bytes of a call: at the client, by a proxy, and compared with the server's count. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench.js';
import { inFlights } from '../plan.js';
import { RedisMonitor } from '../redis-monitor.js';
import { commandsOfEach, countedSince, countsSince, redisCounts, writtenWithinMs, type RedisCounts } from '../redis-stats.js';
import { median } from '../statistics.js';
import type { Perch } from '../variants/perch.js';

/** No script of Perch calls these: their count at the server must equal that at the client. */
const sentOnly = ['evalsha', 'publish', 'spublish'];

const asksMax = 20;
/** Longer than a command takes from the proxy to Redis. */
const onItsWayMs = 20;
/** A server reports a command to its monitors after it has replied. */
const reportedWithinMs = 100;

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
  await pause(writtenWithinMs);
  const idle = await idleTraffic(bench, perch);
  let differing = 0;
  for (const inFlight of inFlights) {
    const commands: number[] = [];
    const bytes: number[] = [];
    const roundTrips: number[] = [];
    for (let round = 0; round < plan.rounds; round++) {
      const before = await bothCounts(perch);
      const kindsBefore = new Map(proxy.kinds);
      proxy.roundTripsBeforeMessage.length = 0;
      const startedAt = performance.now();
      const run = await bench.run(perch, { calls: plan.countedCalls[inFlight], inFlight });
      if (inFlight === 16) await pause(writtenWithinMs);
      const after = await bothCounts(perch);
      const seconds = (performance.now() - startedAt) / 1000;
      const counted = countsSince(before.server, after.server);
      const sent = countedSince(before.sent, after.sent);
      commands.push(commandsOfEach(countedSince(kindsBefore, proxy.kinds), run));
      bytes.push((counted.bytes - idle.bytesOfAsking - idle.bytesPerS * seconds) / run.calls);
      roundTrips.push(median(proxy.roundTripsBeforeMessage));
      for (const name of sentOnly) differing += Math.abs((sent.get(name) ?? 0) - (counted.commands.get(name) ?? 0));
    }
    figures.set(`commands, ${inFlight} in flight`, commands);
    if (inFlight === 16) figures.set('bytes, 16 in flight', bytes);
    if (inFlight === 1) figures.set('awaited round trips', roundTrips);
  }
  figures.set('commands the server counted otherwise than the client', [differing]);
}

async function cluster(bench: Bench, perch: Perch): Promise<void> {
  const { plan, figures } = bench;
  await bench.warmUp(perch);
  const monitor = await RedisMonitor.open(perch.redisPorts);
  try {
    for (const inFlight of inFlights) {
      const commands: number[] = [];
      for (let round = 0; round < plan.rounds; round++) {
        const before = new Map(monitor.kinds);
        const run = await bench.run(perch, { calls: plan.countedCalls[inFlight], inFlight });
        await pause(reportedWithinMs);
        commands.push(commandsOfEach(countedSince(before, monitor.kinds), run));
      }
      figures.set(`commands on a Cluster, ${inFlight} in flight`, commands);
    }
  } finally {
    monitor.close();
  }
}

/** Returns both counts of the same moment; retries while heartbeats and leases come between them, or are on their way. */
async function bothCounts({ proxy, redisPorts }: Perch): Promise<{ sent: Map<string, number>; server: RedisCounts }> {
  for (let tries = 1; ; tries++) {
    const sent = new Map(proxy!.commands);
    await pause(onItsWayMs);
    const server = await redisCounts(redisPorts);
    if (tries === asksMax || sentOnly.every((name) => sent.get(name) === proxy!.commands.get(name))) return { sent, server };
  }
}

interface IdleTraffic {
  bytesPerS: number;
  bytesOfAsking: number;
}

/** Heartbeats, clocks and queues. */
async function idleTraffic({ plan }: Bench, { redisPorts }: Perch): Promise<IdleTraffic> {
  const before = await redisCounts(redisPorts);
  const startedAt = performance.now();
  await pause(plan.idleTrafficMs);
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await redisCounts(redisPorts);
  const bytesOfAsking = countsSince(after, await redisCounts(redisPorts)).bytes;
  return { bytesPerS: (countsSince(before, after).bytes - bytesOfAsking) / seconds, bytesOfAsking };
}
