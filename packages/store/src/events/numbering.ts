/**
 * Decides whether event numbers continue after another Redis process took over. Each master has a numbering record that names its process; the last
 * instance to shut down cleanly *seals* it: nothing was numbered afterwards. A process whose record its predecessor sealed has every number ever
 * used, and continues. After a crash, an older copy or a failover numbers may be missing, and the append script jumps above all of them; behind
 * Sentinels with every new process, since a promoted replica cannot be told from a restarted master. A sealed record is opened, on disk, before the
 * first append. A record on a master that lost writes (`lost-writes.ts`) may be an old one, so that numbers jump.
 */
import { SingleFlight } from '@perch/runtime/plain';
import type { Redis } from 'ioredis';
import { nodeOf, numberBeside, numbersOfMasters } from '../redis/cluster-nodes.js';
import { asStoreError, UncertainWrite, guarded } from '../redis/errors.js';
import type { Instances } from '../instances/instances.js';
import { robotKeys, sharedKeys, accountKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import type { LostWrites } from '../redis/lost-writes.js';
import { isAccountId, isRobotId } from '../redis/ids.js';
import { scannedKeys } from '../redis/scans.js';
import { setTimeout as sleep } from 'node:timers/promises';

interface Opened {
  key: string;
  /** Numbering id in the logs of the robots on this process. */
  id: string;
  predecessors: ReadonlySet<string>;
}

/** Processes whose records are remembered: one a node, and one more for each restart. */
const openedMax = 64;

export class Numbering {
  readonly #connections: Connections;
  readonly #instances: Instances;
  readonly #lostWrites: LostWrites;
  readonly #instance: string;
  readonly #opened = new Map<string, Opened>();
  readonly #opening = new SingleFlight<string, Opened | null>();
  /** `<run>=<id>` of each, as the append script parses it. */
  #openedText = '';

  constructor(connections: Connections, instances: Instances, lostWrites: LostWrites, instance: string) {
    this.#connections = connections;
    this.#instances = instances;
    this.#lostWrites = lostWrites;
    this.#instance = instance;
  }

  get openedText(): string {
    return this.#openedText;
  }

  /** Returns the verdict with which to repeat the append script. `known` numbered the robot's last events ('': none); `run` is the Redis process. */
  async verdict(robot: string, run: string, known: string): Promise<string> {
    const opened = this.#opened.get(run) ?? (await this.#opening.run(run, () => this.#open(robot, run)));
    return opened !== null && opened.predecessors.has(known) ? `${run} ${known} continues` : `${run} ${known} jumps`;
  }

  /** Seals the records that no other living instance has open. This instance must append nothing afterwards. Never rejects. */
  async seal(): Promise<void> {
    const opened = [...this.#opened];
    this.#opened.clear();
    this.#openedText = '';
    await Promise.allSettled(
      opened.map(async ([run, { key }]) => {
        if (key === '') return;
        const others = (await guarded(() => this.#connections.commands.hkeys(key)))
          .filter((field) => field.startsWith('open:'))
          .map((field) => field.slice('open:'.length))
          .filter((instance) => instance !== this.#instance);
        const health = await this.#instances.health(others);
        const dead = others.filter((instance) => health.get(instance) === 'gone');
        await this.#connections.script('numberingSeal', [key], [run, this.#instance, ...dead]);
      }),
    );
  }

  /**
   * Makes all numbers jump once and recounts sums, for a restored backup or after Redis lost writes, and forgets the loss. Returns the instances that
   * run now; if there are any, nothing was done.
   */
  async markRestored(): Promise<string[]> {
    const { commands } = this.#connections;
    const numbers = numbersOfMasters(commands, sharedKeys.numbering);
    const keys = numbers.map(sharedKeys.numbering);
    const open = (await guarded(() => Promise.all(keys.map((key) => commands.hkeys(key)))))
      .flat()
      .flatMap((field) => (field.startsWith('open:') ? [field.slice('open:'.length)] : []));
    // A loss took the names of those that append out of the records, but each running instance goes on writing its heartbeat.
    const beating = (await this.#instances.beating()).filter((instance) => instance !== this.#instance);
    const named = [...new Set([...open, ...beating])];
    const health = await this.#instances.health(named);
    const living = named.filter((instance) => health.get(instance) !== 'gone');
    if (living.length > 0) return living;
    await this.#connections.durably(keys, async () => {
      // Single commands, which Redis does not drop even if its users are wrong again. A record of no process, never sealed, is replaced when it is opened.
      const record = { run: '', sealed: 'never', restored: Date.now() };
      for (const key of keys) await guarded(() => commands.hset(key, record));
      await recount(this.#connections);
      for (const number of numbers) await guarded(() => this.#lostWrites.forget(number));
    });
    return [];
  }

  async #open(robot: string, run: string): Promise<Opened | null> {
    const number = numberBeside(this.#connections.commands, robotKeys.log(robot), sharedKeys.numbering);
    // A node without a key for its record is never sealed, so its numbers jump.
    if (number === null) return this.#remember(run, { key: '', id: run, predecessors: new Set() });
    const key = sharedKeys.numbering(number);
    const keys: [string, string, string] = [key, sharedKeys.markTogether(number), sharedKeys.markAlone(number)];
    const reply = await this.#connections.script('numberingOpen', keys, [run, this.#instance]);
    if (reply[0] === 'elsewhere') return null;
    // If Redis drops this opening, and with it the numbers that follow, the next process must not continue from the record before.
    await this.#lostWrites.mark(number);
    const [state, id, predecessors, succeeds] = reply;
    if (state === 'open') return this.#remember(run, { key, id, predecessors: setOf(predecessors) });
    const onDisk = await this.#onDisk(key, succeeds === '1');
    const settled = await this.#connections.script('numberingSettle', [key], [run, onDisk ? 1 : '']);
    return settled.length === 0 ? null : this.#remember(run, { key, id: settled[0], predecessors: setOf(settled[1]) });
  }

  async #onDisk(key: string, succeeds: boolean): Promise<boolean> {
    // A replica that lagged when it was promoted may hold a seal that has been opened since: seals of other processes are not trusted.
    if (this.#connections.canFailOver) return false;
    try {
      const node = this.#nodeOf(key);
      // Without persistence, the same process cannot come back with a sealed record.
      if (!succeeds && (await persistenceOf(node)) === 'none') return true;
      await this.#connections.durably([key], () => Promise.resolve());
      return this.#connections.waitsForDisk() || (await untilOnDisk(node));
    } catch (error) {
      if (error instanceof UncertainWrite) return false;
      throw asStoreError(error);
    }
  }

  #remember(run: string, opened: Opened): Opened {
    this.#opened.set(run, opened);
    if (this.#opened.size > openedMax) this.#opened.delete(this.#opened.keys().next().value!);
    this.#openedText = [...this.#opened].map(([each, { id }]) => `${each}=${id}`).join(' ');
    return opened;
  }

  #nodeOf(key: string): Redis {
    const node = nodeOf(this.#connections.commands, key);
    if (node === undefined) throw new Error(`no node for ${key}`);
    return node;
  }
}

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' ').filter((word) => word !== ''));
}

// Counts again what scripts add up and subtract as they write. After Redis executed transactions that it had dropped before (`redis/lost-writes.ts`),
// sums that were stored meanwhile lack them or have them twice. Other counters expire within minutes or are written anew with each report.

/** Bytes that a stream takes for an entry besides its fields, as events-append.lua and activity-append.lua count them. */
const eventOverhead = 64;
const activityOverhead = 48;

/** No service may run. @returns the number of sums that were wrong */
async function recount(connections: Pick<Connections, 'commands'>): Promise<number> {
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

// Waits for the disk of a Redis node without WAITAOF (before 7.2, or without an append-only file).

/** With `appendfsync everysec`: 1 s, 2 s while the disk is slow, and a margin. */
const everySecondMs = 2200;
const withinMs = 10_000;
const pollMs = 200;

type Persistence = 'append-only file' | 'snapshots' | 'none';

async function persistenceOf(node: Redis): Promise<Persistence> {
  if ((await infoOf(node)).get('aof_enabled') === '1') return 'append-only file';
  const [, save] = await setting(node, 'save');
  return save === '' || save === undefined ? 'none' : 'snapshots';
}

/** Waits up to 10 s for all that the node wrote; without an append-only file, for a snapshot. Returns false when that cannot be known. */
async function untilOnDisk(node: Redis): Promise<boolean> {
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
