/**
 * Collected in memory and written once a second, one command an account, so that no call waits. Entries of the last second are lost with the process;
 * those that Redis does not take are dropped and counted, since nothing is sent to Redis twice. With them, what robots showed (`PendingScreens`).
 */
import type { RequestAction, RequestCode } from '@perch/runtime';
import { actions, activityLimits, type ChangeKind, isObject, pictureSource } from '@perch/schema';
import {
  isProbeAccount,
  otherUsageKey,
  pageUsageKey,
  UsageTally,
  type ActivityEntry,
  type ActivityVia,
  type Store,
  screensKept,
  type ScreenRecord,
  screenArgsBytesMax,
} from '@perch/store';
import type { QuestionOutcome, ScreenNote } from '../calls/call.js';
import type { Exchange } from '../http/exchange.js';
import { randomBytes } from 'node:crypto';

export type CallSummary = Pick<Exchange, 'caller' | 'action' | 'robot' | 'via' | 'question' | 'screens' | 'replayed' | 'startedAt'>;

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

  ended(call: CallSummary, code: RequestCode, now: number): void {
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
    if (call.screens.length > 0) this.#keepScreens(pending, call, code);
    this.#schedule();
  }

  /** Keeps what a robot showed after its call had ended: an entry of its queue. */
  showedLater(call: Pick<CallSummary, 'caller' | 'robot' | 'via' | 'question' | 'screens'>): void {
    if (call.caller === null || call.screens.length === 0) return;
    this.#keepScreens(this.#of(call.caller.account), call, 'ok');
    this.#schedule();
  }

  #keepScreens(
    pending: Pending,
    { caller, robot, via, question: asked, screens }: Pick<CallSummary, 'caller' | 'robot' | 'via' | 'question' | 'screens'>,
    code: RequestCode,
  ): void {
    const keyHash = via === 'page' ? null : caller!.keyHash;
    for (const screen of screens) {
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

/** Screens of an account that wait for the next flush: of each robot only as many as are kept of it, so that a program that shows many costs little. */
interface ScreenEntry extends ScreenNote {
  readonly via: ScreenRecord['via'];
  /** Null: the web page. */
  readonly keyHash: string | null;
  readonly outcome: string;
  readonly question: QuestionOutcome | null;
}

interface PendingScreen {
  readonly keyHash: string | null;
  readonly record: ScreenRecord;
}

class PendingScreens {
  readonly #byRobot = new Map<string, PendingScreen[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get keyHashes(): string[] {
    return [...this.#byRobot.values()].flatMap((screens) => screens.flatMap(({ keyHash }) => keyHash ?? []));
  }

  /** @returns whether one more is pending: not if it displaced the robot's oldest */
  add(robot: string, screen: ScreenEntry): boolean {
    let screens = this.#byRobot.get(robot);
    if (screens === undefined) this.#byRobot.set(robot, (screens = []));
    screens.push({ keyHash: screen.keyHash, record: recordOf(screen) });
    if (screens.length > screensKept) {
      screens.shift();
      return false;
    }
    this.#size += 1;
    return true;
  }

  records(names: ReadonlyMap<string, KeyName>): Map<string, ScreenRecord[]> {
    return new Map(
      [...this.#byRobot].map(([robot, screens]) => [
        robot,
        screens.map(({ keyHash, record }) => {
          const key = names.get(keyHash ?? '');
          return key === undefined ? record : { ...record, key };
        }),
      ]),
    );
  }
}

function recordOf({ at, action, args, via, outcome, question }: ScreenEntry): ScreenRecord {
  const record: ScreenRecord = { id: `s-${randomBytes(9).toString('hex')}`, at, action, via, outcome, ...keptArguments(args) };
  if (question === null) return record;
  if (question.answer !== null) record.answer = question.answer;
  if (question.at !== null) Object.assign(record, { x: Math.round(question.at.x), y: Math.round(question.at.y) });
  if (question.tapMs !== null) record.tapMs = Math.round(question.tapMs);
  return record;
}

type Args = Record<string, unknown>;
type KeptArguments = Pick<ScreenRecord, 'args' | 'lacks'>;

/**
 * Returns the arguments as they are kept: pictures in base64 are too large, and those at an address may be others by now, so that only ids of uploaded
 * pictures stay. Arguments that are still too long are not kept.
 */
function keptArguments(args: object): KeptArguments {
  const lacks: string[] = [];
  const { items, ...others } = withoutPicture(args as Args, '', lacks);
  const kept = Array.isArray(items)
    ? { ...others, items: items.map((item: unknown, i) => (isObject(item) ? withoutPicture(item, `items[${i}].`, lacks) : item)) }
    : others;
  const isShort = Buffer.byteLength(JSON.stringify(kept)) <= screenArgsBytesMax;
  return { args: isShort ? kept : null, ...(lacks.length > 0 && { lacks }) };
}

function withoutPicture(args: Args, path: string, lacks: string[]): Args {
  const { image, ...others } = args;
  if (typeof image !== 'string') return args;
  if (pictureSource(image) === 'upload') return args;
  lacks.push(`${path}image`);
  return others;
}

interface KeyName {
  id: string;
  name: string;
}

const keptMs = 60_000;
const keptMax = 10_000;

/** Ids and names of API keys by their hashes, read once a minute at most. A key that was revoked meanwhile may have none. */
class KeyNames {
  readonly #apiKeys: Pick<Store['apiKeys'], 'named'>;
  #kept = new Map<string, KeyName>();
  #since = 0;

  constructor(apiKeys: Pick<Store['apiKeys'], 'named'>) {
    this.#apiKeys = apiKeys;
  }

  async of(account: string, keyHashes: ReadonlySet<string>): Promise<ReadonlyMap<string, KeyName>> {
    const now = performance.now();
    const former = this.#kept;
    if (now - this.#since > keptMs || former.size > keptMax) {
      this.#kept = new Map();
      this.#since = now;
    }
    const missing = [...keyHashes].filter((hash) => !this.#kept.has(hash));
    const found = missing.length === 0 ? new Map<string, KeyName>() : await this.#apiKeys.named(account, missing);
    for (const [hash, name] of found) this.#kept.set(hash, name);
    const names = new Map<string, KeyName>();
    for (const hash of keyHashes) {
      // A key that is gone now had a name when it was last read.
      const name = this.#kept.get(hash) ?? former.get(hash);
      if (name !== undefined) names.set(hash, name);
    }
    return names;
  }
}
