/** What an account's keys asked of robots (`calls`, at most 4 MB), and its sign-ins and `changes` (1 MB, displaced by no calls). Kept for 30 d. */
import { guarded } from '../redis/guarded.js';
import type { RedisClock } from '../instances/clock.js';
import { accountKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';
import { chunkText, parseChunk, type ActivityEntry, type ActivityKind } from './activity-chunk.js';
import { usageDays, usageFieldsMax, usageKeptMs, usageOf, type KeyUsage, type UsageTally } from './usage.js';

export const activityDays = 30;
const keptMs = activityDays * 86_400_000;
export const activityBytes = { calls: 4 * 2 ** 20, changes: 2 ** 20 } as const;

/** Entries of a chunk, which is dropped as one. */
const chunkEntriesMax = 50;
const chunksAtOnce = 50;
/** Entries that one read looks at; the next page continues behind them. */
const scannedMax = 5000;

export interface ActivityBatch {
  calls: readonly ActivityEntry[];
  changes: readonly ActivityEntry[];
  usage: ReadonlyMap<string, UsageTally>;
}

export interface NumberedEntry extends ActivityEntry {
  seq: number;
  kind: ActivityKind;
}

export interface ActivityQuery {
  /** Oldest first behind this number; null: the newest before `before`. */
  after: number | null;
  before: number | null;
  limit: number;
  kind: ActivityKind | null;
  accept(this: void, entry: NumberedEntry): boolean;
}

export interface ActivityPage {
  /** Ascending by number. */
  entries: NumberedEntry[];
  /** All entries up to this number were looked at, if `after` was given; otherwise, the number of the newest. */
  lastSeq: number;
  /** There may be older matching entries before this number; null: there are none, or `after` was given. */
  nextBefore: number | null;
}

export interface UsageDay {
  /** UTC, 2026-11-24. */
  day: string;
  keys: KeyUsage[];
}

/** `upTo`: number up to which the scan looked; null: to the end. */
interface Scan {
  found: NumberedEntry[];
  reached: number | null;
}

type StreamEntry = [id: string, fields: string[]];
const kinds: readonly ActivityKind[] = ['calls', 'changes'];
const streamOf = { calls: accountKeys.activityCalls, changes: accountKeys.activityChanges } as const;

export class Activity {
  readonly #redis: Connections;
  readonly #clock: Pick<RedisClock, 'now'>;
  readonly #bytes: Readonly<Record<ActivityKind, number>>;

  constructor(redis: Connections, clock: Pick<RedisClock, 'now'>, bytes: Readonly<Record<ActivityKind, number>> = activityBytes) {
    this.#redis = redis;
    this.#clock = clock;
    this.#bytes = bytes;
  }

  /** Appends with one command. Not repeated after a failure, since it may have been done. @returns false if the account does not exist */
  async append(account: string, { calls, changes, usage }: ActivityBatch): Promise<boolean> {
    const chunks = [...chunksOf('changes', changes), ...chunksOf('calls', calls)];
    // One argument for all: one each was twice the bytes, or 9 an action where each of many keys makes few calls.
    const counts = [...usage].map(([key, tally]) => tally.text(key)).join(' ');
    if (chunks.length === 0 && counts === '') return true;
    const day = dayOf(this.#clock.now());
    const keys = [
      accountKeys.record(account),
      accountKeys.activityHead(account),
      accountKeys.activityCalls(account),
      accountKeys.activityChanges(account),
      accountKeys.usage(account, day),
    ] as const;
    const bounds = [keptMs, this.#bytes.calls, this.#bytes.changes, usageKeptMs, usageFieldsMax];
    return (await this.#redis.script('activityAppend', keys, [...bounds, chunks.length, ...chunks.flat(), counts])) !== 0;
  }

  async read(account: string, query: ActivityQuery): Promise<ActivityPage> {
    // Read first: all entries up to this number are in the streams.
    const newest = Number((await guarded(() => this.#redis.commands.hget(accountKeys.activityHead(account), 'seq'))) ?? 0);
    const streams = query.kind === null ? kinds : [query.kind];
    const { after } = query;
    if (after === null) return this.#newest(account, streams, query, newest);
    const scans = await Promise.all(streams.map((kind) => this.#scanOn(account, kind, after, query)));
    const reached = Math.min(...scans.map((scan) => scan.reached ?? Math.max(after, newest)));
    const found = scans.flatMap((scan) => scan.found).filter(({ seq }) => seq <= reached);
    const entries = found.toSorted((a, b) => a.seq - b.seq).slice(0, query.limit);
    return { entries, lastSeq: entries.length < found.length ? entries.at(-1)!.seq : reached, nextBefore: null };
  }

  async #newest(account: string, streams: readonly ActivityKind[], query: ActivityQuery, newest: number): Promise<ActivityPage> {
    const before = query.before ?? Number.MAX_SAFE_INTEGER;
    const scans = await Promise.all(streams.map((kind) => this.#scanBack(account, kind, before, query)));
    const reached = Math.max(...scans.map((scan) => scan.reached ?? 0));
    const found = scans.flatMap((scan) => scan.found).filter(({ seq }) => seq >= reached);
    const entries = found.toSorted((a, b) => a.seq - b.seq).slice(-query.limit);
    const cut = entries.length < found.length ? entries[0]!.seq : reached;
    return { entries, lastSeq: Math.max(newest, entries.at(-1)?.seq ?? 0), nextBefore: cut === 0 ? null : cut };
  }

  async #scanBack(account: string, kind: ActivityKind, before: number, { limit, accept }: ActivityQuery): Promise<Scan> {
    const found: NumberedEntry[] = [];
    const oldest = this.#oldest();
    let scanned = 0;
    for (let end = before; ;) {
      if (end <= oldest) return { found, reached: null };
      const chunks = (await guarded(() =>
        this.#redis.commands.xrevrange(streamOf[kind](account), `${end - 1}`, `${oldest}`, 'COUNT', chunksAtOnce),
      )) as StreamEntry[];
      for (const chunk of chunks) {
        const entries = numbered(chunk, kind).filter(({ seq }) => seq < before);
        scanned += entries.length;
        found.push(...entries.filter(accept));
        end = firstSeq(chunk);
        if (found.length >= limit || scanned >= scannedMax) return { found, reached: end };
      }
      if (chunks.length < chunksAtOnce) return { found, reached: null };
    }
  }

  async #scanOn(account: string, kind: ActivityKind, after: number, { limit, accept }: ActivityQuery): Promise<Scan> {
    const found: NumberedEntry[] = [];
    const stream = streamOf[kind](account);
    const oldest = this.#oldest();
    let scanned = 0;
    // The chunk that holds the entry `after` may hold later ones too.
    const [begun] = (await guarded(() => this.#redis.commands.xrevrange(stream, `${after}`, `${oldest}`, 'COUNT', 1))) as StreamEntry[];
    for (let next = begun === undefined ? Math.max(oldest, after) : firstSeq(begun); ;) {
      const chunks = (await guarded(() => this.#redis.commands.xrange(stream, `${next}`, '+', 'COUNT', chunksAtOnce))) as StreamEntry[];
      for (const chunk of chunks) {
        const entries = numbered(chunk, kind);
        const later = entries.filter(({ seq }) => seq > after);
        scanned += later.length;
        found.push(...later.filter(accept));
        next = firstSeq(chunk) + 1;
        if (found.length >= limit || scanned >= scannedMax) return { found, reached: entries.at(-1)!.seq };
      }
      if (chunks.length < chunksAtOnce) return { found, reached: null };
    }
  }

  async *all(account: string, kind: ActivityKind | null = null, accept: ActivityQuery['accept'] = () => true): AsyncGenerator<NumberedEntry[]> {
    let after = 0;
    for (;;) {
      const page = await this.read(account, { after, before: null, limit: scannedMax, kind, accept: () => true });
      const entries = page.entries.filter(accept);
      if (entries.length > 0) yield entries;
      if (page.lastSeq === after || page.entries.length === 0) return;
      after = page.lastSeq;
    }
  }

  /** Returns the usage of the last 30 days, newest first, without days that have none. */
  async usage(account: string): Promise<UsageDay[]> {
    const now = this.#clock.now();
    const days = Array.from({ length: usageDays }, (_, i) => dayOf(now - i * 86_400_000));
    const hashes = await guarded(() => Promise.all(days.map((day) => this.#redis.commands.hgetall(accountKeys.usage(account, day)))));
    return days.map((day, i) => ({ day, keys: usageOf(hashes[i]!) })).filter(({ keys }) => keys.length > 0);
  }

  /** Lowest number of an entry that is not too old: numbers are at least Redis' time in ms. */
  #oldest(): number {
    return Math.max(0, Math.floor(this.#clock.now()) - keptMs);
  }
}

function chunksOf(kind: ActivityKind, entries: readonly ActivityEntry[]): [ActivityKind, number, string][] {
  const chunks: [ActivityKind, number, string][] = [];
  for (let at = 0; at < entries.length; at += chunkEntriesMax) {
    const part = entries.slice(at, at + chunkEntriesMax);
    chunks.push([kind, part.length, chunkText(part)]);
  }
  return chunks;
}

function numbered(chunk: StreamEntry, kind: ActivityKind): NumberedEntry[] {
  const first = firstSeq(chunk);
  return parseChunk(chunk[1][3]!).map((entry, i) => ({ seq: first + i, kind, ...entry }));
}

function firstSeq([id]: StreamEntry): number {
  return Number.parseInt(id, 10);
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
