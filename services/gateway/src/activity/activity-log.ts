/**
 * Collected in memory and written once a second, one command an account, so that no call waits. Entries of the last second are lost with the process;
 * those that Redis does not take are dropped and counted, since nothing is sent to Redis twice. With them, what robots showed (`pending-screens.ts`).
 */
import type { RequestAction, RequestCode } from '@perch/runtime';
import { actions, activityLimits, type ChangeKind } from '@perch/schema';
import { isProbeAccount, otherUsageKey, pageUsageKey, UsageTally, type ActivityEntry, type ActivityVia, type Store } from '@perch/store';
import type { QuestionOutcome } from '../calls/question-outcome.js';
import type { Exchange } from '../http/exchange.js';
import { KeyNames } from './key-names.js';
import { PendingScreens } from './pending-screens.js';

export type EndedCall = Pick<Exchange, 'caller' | 'action' | 'robot' | 'via' | 'question' | 'shown' | 'replayed' | 'startedAt'>;

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
  store: Pick<Store, 'activity' | 'screenHistory' | 'apiKeys' | 'clock'>;
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
  readonly question: QuestionOutcome | null;
}

class Pending {
  readonly calls: PendingEntry[] = [];
  readonly changes: PendingEntry[] = [];
  readonly screens = new PendingScreens();
  /** By hash of the key; '' for the web page. */
  readonly usage = new Map<string, UsageTally>();
  readonly merged = new Map<string, ActivityEntry>();

  tally(keyHash: string): UsageTally {
    let tally = this.usage.get(keyHash);
    if (tally === undefined) this.usage.set(keyHash, (tally = new UsageTally()));
    return tally;
  }

  get size(): number {
    return this.calls.length + this.changes.length + this.screens.size;
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

  ended(call: EndedCall, code: RequestCode, now: number): void {
    const { caller, action, robot, via, question, replayed, startedAt } = call;
    if (caller === null || isProbeAccount(caller.account) || !counted.has(action)) return;
    const pending = this.#of(caller.account);
    const tally = pending.tally(via === 'page' ? '' : caller.keyHash);
    tally.calls += 1;
    if (code !== 'ok' && code !== 'client_closed') tally.refused += 1;
    if (question !== null) {
      tally.asked += 1;
      if (question.outcome === 'answered') tally.answered += 1;
      if (question.tapMs !== null) tally.tapped(question.tapMs);
    }
    if (acting.has(action)) {
      const known = code === 'unknown_robot' ? null : robot;
      const mergeKey = merged.has(code) ? `${caller.keyHash} ${known} ${action} ${code}` : null;
      const equal = mergeKey === null ? undefined : pending.merged.get(mergeKey);
      if (equal !== undefined) {
        equal.count = (equal.count ?? 1) + 1;
        return;
      }
      const outcome = code !== 'ok' ? code : replayed ? 'replayed' : (question?.outcome ?? 'ok');
      const entry: ActivityEntry = { at: Math.floor(this.#store.clock.now()), via, action, outcome, ms: Math.round(now - startedAt) };
      if (known !== null) entry.robot = known;
      if (caller.guest !== undefined) entry.guest = caller.guest.email;
      if (mergeKey !== null) pending.merged.set(mergeKey, entry);
      this.#add(pending.calls, { entry, keyHash: via === 'page' ? null : caller.keyHash, question });
    }
    if (call.shown.length > 0) this.#keepShown(pending, call, code);
    this.#schedule();
  }

  /** Keeps what a robot showed after its call had ended: an entry of its queue. */
  showedLater(call: Pick<EndedCall, 'caller' | 'robot' | 'via' | 'question' | 'shown'>): void {
    if (call.caller === null || call.shown.length === 0) return;
    this.#keepShown(this.#of(call.caller.account), call, 'ok');
    this.#schedule();
  }

  #keepShown(
    pending: Pending,
    { caller, robot, via, question: asked, shown }: Pick<EndedCall, 'caller' | 'robot' | 'via' | 'question' | 'shown'>,
    code: RequestCode,
  ): void {
    const keyHash = via === 'page' ? null : caller!.keyHash;
    for (const screen of shown) {
      const question = screen.action === 'show' ? null : asked;
      const outcome = screen.action === 'show' ? 'ok' : (asked?.outcome ?? code);
      if (this.#entries >= this.#entriesMax) this.#dropped('full', 1);
      else if (pending.screens.add(robot!, { ...screen, via, keyHash, outcome, question: question && withShortAnswer(question) })) this.#grew();
    }
  }

  changed(account: string, { keyHash, ...change }: Change): void {
    const entry: ActivityEntry = { at: Math.floor(this.#store.clock.now()), via: change.via, action: change.action, outcome: change.outcome };
    for (const name of ['robot', 'network', 'subject', 'guest'] as const) if (change[name] !== undefined) entry[name] = change[name];
    this.#add(this.#of(account).changes, { entry, keyHash: change.via === 'page' ? null : (keyHash ?? null), question: null });
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
      const hashes = [...[...pending.calls, ...pending.changes].map(({ keyHash }) => keyHash ?? ''), ...pending.screens.keyHashes];
      const names = await this.#names.of(account, new Set([...pending.usage.keys(), ...hashes].filter((hash) => hash !== '')));
      const entriesOf = (entries: readonly PendingEntry[]): ActivityEntry[] => entries.map((each) => entryOf(each, names.get(each.keyHash ?? '')));
      const usage = new Map<string, UsageTally>();
      for (const [keyHash, tally] of pending.usage) {
        const id = keyHash === '' ? pageUsageKey : (names.get(keyHash)?.id ?? otherUsageKey);
        const known = usage.get(id);
        if (known === undefined) usage.set(id, tally);
        else known.add(tally);
      }
      const [entries, screens] = await Promise.allSettled([
        this.#store.activity.append(account, { calls: entriesOf(pending.calls), changes: entriesOf(pending.changes), usage }),
        pending.screens.size === 0 ? null : this.#store.screenHistory.append(account, pending.screens.records(names)),
      ]);
      const count = pending.size - pending.screens.size;
      if (entries.status === 'fulfilled') this.#written(count);
      else this.#dropped('redis', count);
      if (screens.status === 'rejected') this.#dropped('redis', pending.screens.size);
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
    this.#grew();
  }

  #grew(): void {
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

function entryOf({ entry, question: outcome }: PendingEntry, key: { id: string; name: string } | undefined): ActivityEntry {
  if (key !== undefined) entry.key = key;
  if (outcome === null) return entry;
  const { question, answer, at, tapMs } = outcome;
  if (question !== null) entry.question = shortened(question, activityLimits.questionCharsMax);
  if (answer !== null) entry.answer = shortened(answer, activityLimits.answerCharsMax);
  if (at !== null) Object.assign(entry, { x: Math.round(at.x), y: Math.round(at.y) });
  if (tapMs !== null) entry.tapMs = Math.round(tapMs);
  return entry;
}

function withShortAnswer(question: QuestionOutcome): QuestionOutcome {
  return question.answer === null ? question : { ...question, answer: shortened(question.answer, activityLimits.answerCharsMax) };
}

function shortened(text: string, charsMax: number): string {
  // A character takes up to two code units; the rest of a long text is not looked at.
  const chars = [...text.slice(0, 2 * charsMax + 2)];
  return chars.length > charsMax ? `${chars.slice(0, charsMax - 1).join('')}…` : text;
}
