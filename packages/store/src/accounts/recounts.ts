/**
 * Counts again what scripts add up and subtract as they write. After Redis executed transactions that it had dropped before (`redis/lost-writes.ts`),
 * sums that were stored meanwhile lack them or have them twice. Other counters expire within minutes or are written anew with each report.
 */
import { isAccountId, isRobotId } from '../ids.js';
import { accountKeys, robotKeys, sharedKeys } from '../keys.js';
import { scannedKeys } from '../keys/key-scan.js';
import { guarded } from '../redis/guarded.js';
import type { Connections } from '../redis/connections.js';

/** Bytes that a stream takes for an entry besides its fields, as events-append.lua and activity-append.lua count them. */
const eventOverhead = 64;
const activityOverhead = 48;

/** No service may run. @returns the number of sums that were wrong */
export async function recount(connections: Pick<Connections, 'commands'>): Promise<number> {
  let wrong = 0;
  for await (const keys of scannedKeys(connections)) for (const key of new Set(keys)) wrong += await recountKey(connections, key);
  return wrong;
}

async function recountKey({ commands }: Pick<Connections, 'commands'>, key: string): Promise<number> {
  const tag = /\{([^}]*)\}/.exec(key)?.[1] ?? '';
  const correct = async (field: string, bytes: number): Promise<number> => {
    if (Number((await guarded(() => commands.hget(key, field))) ?? 0) === bytes) return 0;
    await guarded(() => commands.hset(key, field, bytes));
    return 1;
  };
  const streamBytes = async (stream: string, field: string, overhead: number, counted: (fields: string[]) => number): Promise<number> => {
    const entries = await guarded(() => commands.xrange(stream, '-', '+'));
    return correct(
      field,
      entries.reduce((sum, [, fields]) => sum + overhead + counted(fields), 0),
    );
  };

  if (isRobotId(tag) && key === robotKeys.log(tag))
    return streamBytes(robotKeys.events(tag), 'bytes', eventOverhead, ([, name, , data]) => byteLength(name) + byteLength(data));
  if (isAccountId(tag) && key === accountKeys.activityHead(tag)) {
    const ofEntries = ([, , , entries]: string[]): number => byteLength(entries);
    const calls = await streamBytes(accountKeys.activityCalls(tag), 'calls', activityOverhead, ofEntries);
    return calls + (await streamBytes(accountKeys.activityChanges(tag), 'changes', activityOverhead, ofEntries));
  }
  if (isAccountId(tag) && key === accountKeys.quotaBytes(tag)) {
    const { total: _, ...entries } = await guarded(() => commands.hgetall(key));
    return correct('total', sumOf(Object.values(entries)));
  }
  const number = Number(/^media:(\d+)$/.exec(tag)?.[1] ?? Number.NaN);
  return key === sharedKeys.mediaBudgetBytes(number) ? recountBudget(commands, number) : 0;
}

/** Writes the sums of a master's media budget as `media-budget-reserve.lua` does. */
async function recountBudget(commands: Connections['commands'], number: number): Promise<number> {
  const key = sharedKeys.mediaBudgetBytes(number);
  const { reserved, shared, ...entries } = await guarded(() => commands.hgetall(key));
  const sums = { r: new Map<string, number>(), s: new Map<string, number>() };
  for (const [entry, charged] of Object.entries(entries)) {
    const account = entry.slice(0, entry.indexOf(':'));
    const pool = sums[charged.startsWith('r') ? 'r' : 's'];
    pool.set(account, (pool.get(account) ?? 0) + Number(charged.slice(1)));
  }
  const totals = { reserved: sumOf([...sums.r.values()]), shared: sumOf([...sums.s.values()]) };
  if (Number(reserved ?? 0) === totals.reserved && Number(shared ?? 0) === totals.shared) return 0;
  const [ofReserved, ofShared] = [sharedKeys.mediaBudgetReserved(number), sharedKeys.mediaBudgetShared(number)];
  const ttlMs = await guarded(() => commands.pttl(key));
  await guarded(() => commands.hset(key, totals));
  await guarded(() => commands.unlink(ofReserved, ofShared));
  for (const [account, bytes] of sums.r) await guarded(() => commands.zadd(ofReserved, bytes, account));
  for (const [account, bytes] of sums.s) await guarded(() => commands.hset(ofShared, account, bytes));
  if (ttlMs > 0) for (const each of [ofReserved, ofShared]) await guarded(() => commands.pexpire(each, ttlMs));
  return 1;
}

function byteLength(text: string | undefined): number {
  return Buffer.byteLength(text ?? '');
}

function sumOf(numbers: readonly (string | number)[]): number {
  return numbers.reduce<number>((sum, each) => sum + Number(each), 0);
}
