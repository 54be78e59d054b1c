/**
 * Collected in memory and written once a second, one command an account, so that no call waits. Entries of the last second are lost with the process;
 * those that Redis does not take are dropped and counted, since nothing is sent to Redis twice.
 */
import type { RequestAction, RequestCode } from '@perch/runtime';
import { actions, activityLimits, type ChangeKind } from '@perch/schema';
import { otherUsageKey, pageUsageKey, UsageTally, type ActivityEntry, type ActivityVia, type Store } from '@perch/store';
import type { Asked } from '../calls/asked.js';
import type { Exchange } from '../http/exchange.js';
import { KeyNames } from './key-names.js';

export type EndedCall = Pick<Exchange, 'caller' | 'action' | 'robot' | 'via' | 'asked' | 'replayed' | 'startedAt'>;

export interface Change {
  via: ActivityVia;
  action: ChangeKind;
  outcome: string;
  keyHash?: string | undefined;
  robot?: string | undefined;
  network?: string | undefined;
  subject?: string | undefined;
  /** E-mail address of a person with whom the robot is shared. */
  guest?: string | undefined;
}

export interface ActivityLogOptions {
  store: Pick<Store, 'activity' | 'apiKeys' | 'clock'>;
  /** Default: 1,000. */
  flushMs?: number;
  /** Entries in memory. Default: 10,000. */
  entriesMax?: number;
  written?: (entries: number) => void;
  dropped?: (reason: 'full' | 'redis', entries: number) => void;
}

const flushAtEntries = 2_000;
const accountsAtOnce = 50;

const acting: ReadonlySet<RequestAction> = new Set<RequestAction>([
  ...actions.filter(({ effect }) => !effect.readOnly).map(({ name }) => name),
  'stop',
  'scene',
]);
const counted: ReadonlySet<RequestAction> = new Set<RequestAction>([
  ...acting,
  ...actions.map(({ name }) => name),
  'events_stream',
  'screen',
  'preview',
]);
/** Refusals that cost the caller nothing: equal ones within a flush are one entry, so that they do not displace others. */
const merged: ReadonlySet<RequestCode> = new Set<RequestCode>(['rate_limited', 'unknown_robot', 'scope_missing']);

interface PendingEntry {
  readonly entry: ActivityEntry;
  readonly keyHash: string | null;
  readonly asked: Asked | null;
}

class Pending {
  readonly calls: PendingEntry[] = [];
  readonly changes: PendingEntry[] = [];
  /** By hash of the key; '' for the web page. */
  readonly usage = new Map<string, UsageTally>();
  readonly merged = new Map<string, ActivityEntry>();

  tally(keyHash: string): UsageTally {
    let tally = this.usage.get(keyHash);
    if (tally === undefined) this.usage.set(keyHash, (tally = new UsageTally()));
    return tally;
  }

  get size(): number {
    return this.calls.length + this.changes.length;
  }
}

export class ActivityLog {
  readonly #store: ActivityLogOptions['store'];
  readonly #flushMs: number;
  readonly #entriesMax: number;
  readonly #written: (entries: number) => void;
  readonly #dropped: (reason: 'full' | 'redis', entries: number) => void;
  readonly #names: KeyNames;
  #pending = new Map<string, Pending>();
  /** By account: writes that a reader waits for. */
  readonly #settling = new Map<string, Promise<void>>();
  /** Entries in memory, those that are being written included. */
  #entries = 0;
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<void> = Promise.resolve();

  constructor({ store, flushMs = 1000, entriesMax = 10_000, written = () => {}, dropped = () => {} }: ActivityLogOptions) {
    this.#store = store;
    this.#flushMs = flushMs;
    this.#entriesMax = entriesMax;
    this.#written = written;
    this.#dropped = dropped;
    this.#names = new KeyNames(store.apiKeys);
  }

  ended({ caller, action, robot, via, asked, replayed, startedAt }: EndedCall, code: RequestCode, now: number): void {
    if (caller === null || !counted.has(action)) return;
    const pending = this.#of(caller.account);
    const tally = pending.tally(via === 'page' ? '' : caller.keyHash);
    tally.calls += 1;
    if (code !== 'ok' && code !== 'client_closed') tally.refused += 1;
    if (asked !== null) {
      tally.asked += 1;
      if (asked.outcome === 'answered') tally.answered += 1;
      if (asked.tapMs !== null) tally.tapped(asked.tapMs);
    }
    if (acting.has(action)) {
      const known = code === 'unknown_robot' ? null : robot;
      const mergeKey = merged.has(code) ? `${caller.keyHash} ${known} ${action} ${code}` : null;
      const equal = mergeKey === null ? undefined : pending.merged.get(mergeKey);
      if (equal !== undefined) {
        equal.count = (equal.count ?? 1) + 1;
        return;
      }
      const outcome = code !== 'ok' ? code : replayed ? 'replayed' : (asked?.outcome ?? 'ok');
      const entry: ActivityEntry = { at: Math.floor(this.#store.clock.now()), via, action, outcome, ms: Math.round(now - startedAt) };
      if (known !== null) entry.robot = known;
      if (caller.guest !== undefined) entry.guest = caller.guest.email;
      if (mergeKey !== null) pending.merged.set(mergeKey, entry);
      this.#add(pending.calls, { entry, keyHash: via === 'page' ? null : caller.keyHash, asked });
    }
    this.#schedule();
  }

  changed(account: string, { keyHash, ...change }: Change): void {
    const entry: ActivityEntry = { at: Math.floor(this.#store.clock.now()), via: change.via, action: change.action, outcome: change.outcome };
    for (const name of ['robot', 'network', 'subject', 'guest'] as const) if (change[name] !== undefined) entry[name] = change[name];
    this.#add(this.#of(account).changes, { entry, keyHash: change.via === 'page' ? null : (keyHash ?? null), asked: null });
    this.#schedule();
  }

  /** Resolves when what was recorded of the account so far is written, or dropped. */
  async settle(account: string): Promise<void> {
    const pending = this.#pending.get(account);
    if (pending !== undefined) {
      this.#pending.delete(account);
      const written = Promise.all([this.#settling.get(account), this.#write(account, pending)]).then(() => {
        if (this.#settling.get(account) === written) this.#settling.delete(account);
      });
      this.#settling.set(account, written);
    }
    await Promise.all([this.#settling.get(account), this.#flushing]);
  }

  /** Writes what was recorded so far; for the stop of the gateway. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const all = [...this.#pending];
    this.#pending = new Map();
    this.#flushing = this.#flushing.then(() => this.#writeAll(all));
    await this.#flushing;
    if (this.#pending.size > 0) this.#schedule();
  }

  async #writeAll(all: readonly [string, Pending][]): Promise<void> {
    for (let at = 0; at < all.length; at += accountsAtOnce)
      await Promise.all(all.slice(at, at + accountsAtOnce).map(([account, pending]) => this.#write(account, pending)));
  }

  async #write(account: string, pending: Pending): Promise<void> {
    try {
      const hashes = [...pending.calls, ...pending.changes].map(({ keyHash }) => keyHash ?? '');
      const names = await this.#names.of(account, new Set([...pending.usage.keys(), ...hashes].filter((hash) => hash !== '')));
      const entriesOf = (entries: readonly PendingEntry[]): ActivityEntry[] => entries.map((each) => entryOf(each, names.get(each.keyHash ?? '')));
      const usage = new Map<string, UsageTally>();
      for (const [keyHash, tally] of pending.usage) {
        const id = keyHash === '' ? pageUsageKey : (names.get(keyHash)?.id ?? otherUsageKey);
        const known = usage.get(id);
        if (known === undefined) usage.set(id, tally);
        else known.add(tally);
      }
      await this.#store.activity.append(account, { calls: entriesOf(pending.calls), changes: entriesOf(pending.changes), usage });
      this.#written(pending.size);
    } catch {
      this.#dropped('redis', pending.size);
    } finally {
      this.#entries -= pending.size;
    }
  }

  #of(account: string): Pending {
    let pending = this.#pending.get(account);
    if (pending === undefined) this.#pending.set(account, (pending = new Pending()));
    return pending;
  }

  #add(entries: PendingEntry[], entry: PendingEntry): void {
    if (this.#entries >= this.#entriesMax) return this.#dropped('full', 1);
    entries.push(entry);
    this.#entries += 1;
    if (this.#entries === flushAtEntries) void this.flush();
  }

  #schedule(): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.flush();
    }, this.#flushMs);
    this.#timer.unref();
  }
}

function entryOf({ entry, asked }: PendingEntry, key: { id: string; name: string } | undefined): ActivityEntry {
  if (key !== undefined) entry.key = key;
  if (asked === null) return entry;
  const { question, answer, at, tapMs } = asked;
  if (question !== null) entry.question = shortened(question, activityLimits.questionCharsMax);
  if (answer !== null) entry.answer = shortened(answer, activityLimits.answerCharsMax);
  if (at !== null) Object.assign(entry, { x: Math.round(at.x), y: Math.round(at.y) });
  if (tapMs !== null) entry.tapMs = Math.round(tapMs);
  return entry;
}

function shortened(text: string, charsMax: number): string {
  // A character takes up to two code units; the rest of a long text is not looked at.
  const chars = [...text.slice(0, 2 * charsMax + 2)];
  return chars.length > charsMax ? `${chars.slice(0, charsMax - 1).join('')}…` : text;
}
