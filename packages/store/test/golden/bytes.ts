import type { Connections } from '../../src/redis/connections.js';
import type { Facts } from './step.js';

/** A string that is not text is in base64. */
export type Value =
  | { hash: Record<string, string> }
  | { list: string[] }
  | { set: string[] }
  | { zset: [member: string, score: string][] }
  | { stream: [id: string, fields: string[]][] }
  | { text: string }
  | { base64: string };

type Commands = Connections['commands'];

export async function valueOf(commands: Commands, key: string): Promise<Value> {
  const type = await commands.type(key);
  if (type === 'hash') return { hash: Object.fromEntries(Object.entries(await commands.hgetall(key)).toSorted(([a], [b]) => (a < b ? -1 : 1))) };
  if (type === 'list') return { list: await commands.lrange(key, 0, -1) };
  if (type === 'set') return { set: (await commands.smembers(key)).toSorted() };
  // Sorted by member, because several members may have the same score.
  if (type === 'zset') return { zset: pairs(await commands.zrange(key, '0', '-1', 'WITHSCORES')).toSorted(([a], [b]) => (a < b ? -1 : 1)) };
  if (type === 'stream') return { stream: await commands.xrange(key, '-', '+') };
  const bytes = (await commands.getBuffer(key))!;
  return /^[\x20-\x7e]*$/.test(bytes.toString('latin1')) ? { text: bytes.toString() } : { base64: bytes.toString('base64') };
}

export async function putValue(commands: Commands, key: string, value: Value): Promise<void> {
  if ('hash' in value) await commands.hset(key, value.hash);
  else if ('list' in value) await commands.rpush(key, ...value.list);
  else if ('set' in value) await commands.sadd(key, ...value.set);
  else if ('zset' in value) for (const [member, score] of value.zset) await commands.zadd(key, score, member);
  else if ('stream' in value) for (const [id, fields] of value.stream) await commands.xadd(key, id, ...fields);
  else await commands.set(key, 'text' in value ? value.text : Buffer.from(value.base64, 'base64'));
}

function pairs(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i]!, flat[2 * i + 1]!]);
}

/** Returns the part of a BullMQ job that Perch writes. */
export function ownPart(noun: string, value: Value): Value {
  if (noun !== 'jobs' || !('hash' in value)) return value;
  const { name = '', data = '' } = value.hash;
  return { hash: { data, name } };
}

/** Returns whether a key lives only for a second, such as a lock. */
export function isTransient(key: string): boolean {
  return key.endsWith(':synced');
}

/** Returns the text with placeholders for the parts that differ between runs: ids, secrets, hashes, times. */
export function withoutRun(text: string, facts: Facts): string {
  let known = text;
  for (const [name, value] of Object.entries(facts).toSorted(([, a], [, b]) => b.length - a.length)) {
    // The number of a wait may equal another time.
    known = /^\d+$/.test(value) ? known.replaceAll(`:wait:${value}`, `:wait:<${name}>`) : known.replaceAll(value, `<${name}>`);
  }
  return (
    known
      // Data without a version is version 1.
      .replace(/(\\*)"v\1":1,/g, '')
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uuid>')
      .replace(/\b[0-9a-f]{64}\b/g, '<sha256>')
      .replace(/\b[0-9a-f]{40}\b/g, '<run>')
      .replace(/whsec_[\w+/=-]{20,}/g, '<secret>')
      .replace(/(?<![\w-])[\w-]{43}(?![\w-])/g, '<hash>')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<iso>')
      .replace(/\b1[6-9]\d{14}(\.\d+)?\b/g, '<µs>')
      .replace(/\b1[6-9]\d{11}(\.\d+)?\b/g, '<ms>')
      .replace(/\b1[6-9]\d{8}\b/g, '<s>')
      // Actions per second depend on the elapsed time.
      .replace(/\b\d+\.\d{9,}\b/g, '<rate>')
  );
}
