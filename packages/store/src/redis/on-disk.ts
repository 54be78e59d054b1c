/** Waits for the disk of a Redis node without WAITAOF (before 7.2, or without an append-only file). */
import type { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';

/** With `appendfsync everysec`: 1 s, 2 s while the disk is slow, and a margin. */
const everySecondMs = 2200;
const withinMs = 10_000;
const pollMs = 200;

export type Persistence = 'append-only file' | 'snapshots' | 'none';

export async function persistenceOf(node: Redis): Promise<Persistence> {
  if ((await infoOf(node)).get('aof_enabled') === '1') return 'append-only file';
  const [, save] = await setting(node, 'save');
  return save === '' || save === undefined ? 'none' : 'snapshots';
}

/** Waits up to 10 s for all that the node wrote; without an append-only file, for a snapshot. Returns false when that cannot be known. */
export async function untilOnDisk(node: Redis): Promise<boolean> {
  const kept = await persistenceOf(node);
  if (kept === 'none') return false;
  return kept === 'snapshots' ? snapshot(node) : synced(node);
}

async function synced(node: Redis): Promise<boolean> {
  const [, fsync] = await setting(node, 'appendfsync');
  if (fsync === 'always') return true;
  if (fsync !== 'everysec') return false;
  await sleep(everySecondMs);
  return waitFor(node, (info) => info.get('aof_pending_bio_fsync') === '0' && info.get('aof_last_write_status') === 'ok');
}

async function snapshot(node: Redis): Promise<boolean> {
  const isIdle = (info: ReadonlyMap<string, string>): boolean => info.get('rdb_bgsave_in_progress') === '0';
  // A running snapshot may have started before the write.
  if (!(await waitFor(node, isIdle))) return false;
  const began = await node.bgsave().then(
    () => true,
    () => false,
  );
  return began && (await waitFor(node, isIdle)) && (await infoOf(node)).get('rdb_last_bgsave_status') === 'ok';
}

async function waitFor(node: Redis, holds: (info: ReadonlyMap<string, string>) => boolean): Promise<boolean> {
  const giveUpAt = performance.now() + withinMs;
  while (performance.now() < giveUpAt) {
    if (holds(await infoOf(node))) return true;
    await sleep(pollMs);
  }
  return false;
}

async function infoOf(node: Redis): Promise<ReadonlyMap<string, string>> {
  const text = await node.info('persistence');
  return new Map(
    text
      .split('\r\n')
      .flatMap((line): [string, string][] => (line.includes(':') ? [[line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]] : [])),
  );
}

/** A managed server may refuse CONFIG; the setting is then unknown. */
async function setting(node: Redis, name: string): Promise<string[]> {
  return ((await node.config('GET', name).catch(() => [])) as string[]) ?? [];
}
