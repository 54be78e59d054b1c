/** What an account's keys asked of robots (`calls`, at most 4 MB), and its sign-ins and `changes` (1 MB, displaced by no calls). Kept for 30 d. */
import { guarded } from '../redis/errors.js';
import type { RedisClock } from '../instances/clock.js';
import { accountKeys } from '../redis/keys.js';
import type { Connections } from '../redis/connections.js';
import { usageDays, usageFieldsMax, usageKeptMs, usageOf, type KeyUsage, type UsageTally } from './usage.js';
import type { ActivityView, KeyUsageView } from '@perch/schema';

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

/**
 * Entries of an account's activity as they are stored: JSON arrays with what every call has, and names of one letter for the rest. With names and
 * repeated values, an entry would be a fifth of an action's bytes through Redis.
 */

export type ActivityKind = 'calls' | 'changes';

/** How an entry came about: by a program over HTTP, by an agent's tool, on the web page, or by an operator's command. */
export type ActivityVia = 'http' | 'agent' | 'page' | 'operator';

/** Absent fields do not apply. */
export interface ActivityEntry {
  /** Redis ms. */
  at: number;
  via: ActivityVia;
  action: string;
  /** ok, answered, timed_out, replaced, replayed, client_closed, or the code of an error. */
  outcome: string;
  key?: { id: string; name: string };
  robot?: string;
  /** Number of equal refusals that this entry stands for; absent: 1. */
  count?: number;
  ms?: number;
  question?: string;
  answer?: string;
  /** Where a clickmap was tapped, screen pixels. */
  x?: number;
  y?: number;
  /** Time from the question on the screen to the tap, ms. */
  tapMs?: number;
  network?: string;
  subject?: string;
  /** E-mail address of the person with whom the robot is shared, who made the call or whose access changed. */
  guest?: string;
}

interface Chunk {
  /** Time of the first entry. */
  t: number;
  /** Ids and names of keys as of when the entries were written: id, name, id, name … */
  k: string[];
  e: StoredEntry[];
}

/**
 * `at`: ms from the chunk's `t`. `key`: number of the key in `k` from 1, 0 for none. `robot`: '' for none. `ms`: -1 for none. `more` is absent if the call
 * came over HTTP, ended as `ok`, and has no other field.
 */
type StoredEntry = [at: number, action: string, key: number, robot: string, ms: number, more?: More];

interface More {
  v?: ActivityVia | undefined;
  o?: string | undefined;
  n?: number | undefined;
  q?: string | undefined;
  w?: string | undefined;
  x?: number | undefined;
  y?: number | undefined;
  p?: number | undefined;
  i?: string | undefined;
  s?: string | undefined;
  g?: string | undefined;
}

/** As builds before the release of 0.10.0 wrote it; entries are kept for 30 days. */
interface NamedChunk {
  k?: Record<string, string>;
  e: (More & { t: number; a: string; k?: string; r?: string; m?: number })[];
}

const usual = { via: 'http', outcome: 'ok' } as const;

export function chunkText(entries: readonly ActivityEntry[]): string {
  const t = entries[0]?.at ?? 0;
  const k: string[] = [];
  const numbers = new Map<string, number>();
  const numberOf = ({ id, name }: { id: string; name: string }): number => {
    const known = numbers.get(id);
    if (known !== undefined) return known;
    const number = k.push(id, name) / 2;
    numbers.set(id, number);
    return number;
  };
  const e = entries.map(
    ({ at, via, action, outcome, key, robot, count, ms, question, answer, x, y, tapMs, network, subject, guest }): StoredEntry => {
      const stored: StoredEntry = [at - t, action, key === undefined ? 0 : numberOf(key), robot ?? '', ms ?? -1];
      const more: More = {
        v: via === usual.via ? undefined : via,
        o: outcome === usual.outcome ? undefined : outcome,
        n: count,
        q: question,
        w: answer,
        x,
        y,
        p: tapMs,
        i: network,
        s: subject,
        g: guest,
      };
      if (Object.values(more).some((value) => value !== undefined)) stored.push(more);
      return stored;
    },
  );
  return JSON.stringify({ t, k, e } satisfies Chunk);
}

export function parseChunk(json: string): ActivityEntry[] {
  const chunk = JSON.parse(json) as Chunk | NamedChunk;
  const { t, k, e } = 't' in chunk ? chunk : withoutNames(chunk);
  return e.map(([at, action, key, robot, ms, { v, o, n, q, w, x, y, p, i, s, g } = {}]) => ({
    at: t + at,
    via: v ?? usual.via,
    action,
    outcome: o ?? usual.outcome,
    ...(key === 0 ? {} : { key: { id: k[2 * key - 2] ?? '', name: k[2 * key - 1] ?? '' } }),
    ...(robot === '' ? {} : { robot }),
    ...(n === undefined ? {} : { count: n }),
    ...(ms === -1 ? {} : { ms }),
    ...(q === undefined ? {} : { question: q }),
    ...(w === undefined ? {} : { answer: w }),
    ...(x === undefined ? {} : { x }),
    ...(y === undefined ? {} : { y }),
    ...(p === undefined ? {} : { tapMs: p }),
    ...(i === undefined ? {} : { network: i }),
    ...(s === undefined ? {} : { subject: s }),
    ...(g === undefined ? {} : { guest: g }),
  }));
}

function withoutNames({ k = {}, e }: NamedChunk): Chunk {
  const ids = Object.keys(k);
  return {
    t: 0,
    k: ids.flatMap((id) => [id, k[id]!]),
    e: e.map(({ t, a, k: key, r, m, ...more }) => [t, a, key === undefined ? 0 : ids.indexOf(key) + 1, r ?? '', m ?? -1, more]),
  };
}

export function activityViewOf(entry: NumberedEntry): ActivityView {
  const { seq, at, kind, via, key, robot, action, outcome, count, ms, question, answer, x, y, tapMs, network, subject, guest } = entry;
  return {
    seq,
    at: new Date(at).toISOString(),
    kind,
    via,
    key: key ?? null,
    robot: robot ?? null,
    action,
    outcome,
    count: count ?? 1,
    seconds: secondsOf(ms),
    question: question ?? null,
    answer: answer ?? null,
    x: x ?? null,
    y: y ?? null,
    tap_s: secondsOf(tapMs),
    network: network ?? null,
    subject: subject ?? null,
    guest: guest ?? null,
  };
}

/** @param key null: the web page, or keys that are counted together */
export function usageViewOf({ calls, refused, asked, answered, tapMs }: KeyUsage, key: KeyUsageView['key']): KeyUsageView {
  return {
    key,
    calls,
    refused,
    asked,
    answered,
    answer_rate: asked === 0 ? null : Math.round((answered / asked) * 1000) / 1000,
    median_tap_s: secondsOf(tapMs ?? undefined),
  };
}

function secondsOf(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms) / 1000;
}
