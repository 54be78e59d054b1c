import { askRedis } from '@perch/local-redis';

/**
 * The gateways write what calls leave behind (the log of activity, and for it the names of keys) once a second: counted with the calls, and not with
 * later ones.
 */
export const writtenWithinMs = 1500;

export interface RedisCounts {
  commands: Map<string, number>;
  bytes: number;
}

export async function redisCounts(ports: readonly number[]): Promise<RedisCounts> {
  const commands = new Map<string, number>();
  let bytes = 0;
  for (const port of ports) {
    for (const [, name, calls] of (await askRedis(port, ['INFO', 'commandstats'])).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)) {
      commands.set(name!, (commands.get(name!) ?? 0) + Number(calls));
    }
    const stats = await askRedis(port, ['INFO', 'stats']);
    for (const field of ['total_net_input_bytes', 'total_net_output_bytes']) {
      bytes += Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(stats)?.[1]);
    }
  }
  return { commands, bytes };
}

export function countsSince(before: RedisCounts, after: RedisCounts): RedisCounts {
  return { commands: countedSince(before.commands, after.commands), bytes: after.bytes - before.bytes };
}

export function countedSince(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): Map<string, number> {
  const since = new Map<string, number>();
  for (const [name, count] of after) {
    const difference = count - (before.get(name) ?? 0);
    if (difference > 0) since.set(name, difference);
  }
  return since;
}

export function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** A kind of command that is rarer than both is sent by the clock, whatever is called: heartbeats, queues, the log of activity. */
const byClock = { perCall: 1 / 100, perS: 8 };

/** Returns the number of commands of each call: at 64 in flight, what calls share is still a 64th of a command for each. */
export function commandsOfEach(kinds: ReadonlyMap<string, number>, { calls, elapsedMs }: { calls: number; elapsedMs: number }): number {
  const clockMost = Math.max(calls * byClock.perCall, (elapsedMs / 1000) * byClock.perS);
  return [...kinds.values()].filter((count) => count > clockMost).reduce((sum, count) => sum + count, 0) / calls;
}
