import { limits, type EventName, type RobotEvent } from '@perch/schema';
import { storedPlaces, type AccountStorage } from '../accounts/account-storage.js';
import { robotKeys } from '../redis/keys.js';
import type { Numbering } from './numbering.js';
import type { Connections } from '../redis/connections.js';

/** Numbering after a restored Redis relies on this limit. */
export const eventsPerSecondMax = 50;
export interface EventsKept {
  count: number;
  /** Age at which an event is no longer read; it is deleted with the robot's next event or read, or with its last event. */
  ms: number;
}

export const eventsKeptDefault: EventsKept = { count: limits.events.keptDefault, ms: limits.events.keptDaysDefault * 86_400_000 };

/** Events that one script visits, so that it blocks Redis for a few milliseconds at most. */
const trimmedAtOnce = 1000;

export const eventBytesMax = limits.events.bytesMax;

export interface Append {
  /** '' for the event of a wait (`wait`), which any instance appends. */
  session: string;
  bootId: string;
  /** Null: no input completed the events (`connected`). */
  inSeq: number | null;
  /** Highest input that the robot may forget once this is stored; omitted when unknown. */
  safeSeq?: number;
  /** May be empty: then only the input mark advances. */
  events: readonly { name: EventName; data: Record<string, unknown> }[];
  near?: boolean | null;
  usb?: boolean | null;
  /** Number of the detached wait that the event reports. It is reported once: then `old`. */
  wait?: number;
}

export type AppendResult =
  | { appended: true; lastSeq: number }
  /** `lost`: another session holds the robot. `old`: this input was stored before. `busy`: above 50 a second; nothing was stored, retry. */
  | { appended: false; why: 'lost' | 'old' | 'busy' };

export interface EventPage {
  events: RobotEvent[];
  lastSeq: number;
  /** Oldest number kept; if all events are gone, the lowest that the next event can have; null when there never was one. */
  firstSeq: number | null;
  /** First number after numbering last jumped (because Redis had lost events), or null when it never did. */
  jumpedTo: number | null;
}

/**
 * Event logs: the robot-link that holds a robot appends, any gateway reads.
 * - Events are numbered from 1, ascending; a number is never used twice. By default the last 1,000 events of the last 30 days are kept.
 * - Only the session that holds the robot appends; another one gets `lost`.
 * - Events and the mark of their input are stored in one step, so that an input is stored once. A repeated append gets `old`.
 * - A reader that continues after `lastSeq` neither misses nor repeats an event.
 * - Appending does not wait for the disk. If Redis loses events, later numbers jump above all lost ones (`jumpedTo`).
 * - At most 50 events a second are stored for a robot; above that, append returns `busy` and stores nothing.
 * - A full account does not stop events: each log then keeps only the newest events within its share.
 * - Notifications are hints: after a null, read the log.
 * - All methods throw StoreError when Redis does not answer; `append` may then be repeated if an input caused the events.
 */
export class Events {
  readonly #connections: Connections;
  readonly #storage: AccountStorage;
  readonly #kept: EventsKept;
  readonly #numbering: Pick<Numbering, 'openedText' | 'verdict'>;
  readonly #hooked: (robot: string) => void;

  /** @param hooked called with a robot that has new events for webhooks */
  constructor(
    connections: Connections,
    storage: AccountStorage,
    kept: EventsKept,
    numbering: Pick<Numbering, 'openedText' | 'verdict'>,
    hooked: (robot: string) => void,
  ) {
    this.#connections = connections;
    this.#storage = storage;
    this.#numbering = numbering;
    this.#kept = kept;
    this.#hooked = hooked;
  }

  /** May be repeated when the reply was lost: it then returns `old`. @throws {StoreError} when Redis does not answer; the events may be stored */
  async append(robot: string, append: Append): Promise<AppendResult> {
    const robots = [robotKeys.lease(robot), robotKeys.log(robot), robotKeys.events(robot), robotKeys.record(robot)] as const;
    const keys = append.wait === undefined ? robots : ([...robots, robotKeys.wait(robot, append.wait)] as const);
    const entries = append.events.flatMap(({ name, data }) => [name, boundedJson(data)]);
    let verdict = '';
    for (let tries = 0; tries < 3; tries++) {
      const reply = await this.#connections.script('eventsAppend', keys, [
        append.session,
        append.bootId,
        append.inSeq ?? '',
        this.#kept.count,
        this.#connections.publishCommand,
        robotKeys.eventsChannel(robot),
        flagText(append.near),
        flagText(append.usb),
        eventsPerSecondMax,
        append.safeSeq ?? '',
        this.#numbering.openedText,
        verdict,
        this.#kept.ms,
        ...entries,
      ]);
      if (reply[0] === 'run') {
        verdict = await this.#numbering.verdict(robot, reply[1], reply[2]);
        continue;
      }
      if (reply[0] !== 'ok') return { appended: false, why: reply[0] };
      const [, lastSeq, , hooked, account, bytes, aged] = reply;
      if (entries.length > 0) await this.#keepToBounds(robot, account, bytes, aged === 1);
      if (entries.length > 0 && hooked !== '') this.#hooked(robot);
      return { appended: true, lastSeq: Number(lastSeq) };
    }
    return { appended: false, why: 'busy' };
  }

  /** Drops old events and, when the account's storage is full, those beyond the log's share. A failure does not fail the append. */
  async #keepToBounds(robot: string, account: string, bytes: number, aged: boolean): Promise<void> {
    const place = storedPlaces.events(robot);
    this.#storage.note(account, place, bytes);
    const share = this.#storage.eventsShare(account);
    if (bytes <= share && !aged) return;
    await this.#trim(robot, share).then(
      (left) => this.#storage.note(account, place, left),
      () => {},
    );
  }

  async #trim(robot: string, share = Infinity): Promise<number> {
    const keys = [robotKeys.log(robot), robotKeys.events(robot)] as const;
    return this.#connections.script('eventsTrim', keys, [share === Infinity ? '' : share, trimmedAtOnce]);
  }

  /** Oldest first; with `newest` the last `limit` of them. */
  async read(robot: string, { after = 0, limit = 1000, newest = false }: { after?: number; limit?: number; newest?: boolean }): Promise<EventPage> {
    const keys = [robotKeys.log(robot), robotKeys.events(robot)] as const;
    const readPage = () => this.#connections.script('eventsRead', keys, [after, limit, newest ? 1 : 0]);
    let page = await readPage();
    while (page.length === 1) {
      await this.#trim(robot);
      page = await readPage();
    }
    const [lastSeq, firstSeq, jumpedTo, entries] = page;
    return {
      events: entries.map(([id, [, name, , data, , at]]) => ({
        seq: Number.parseInt(id, 10),
        name: name as EventName,
        data: JSON.parse(data!) as Record<string, unknown>,
        at: new Date(Number(at)).toISOString(),
      })),
      lastSeq: Number(lastSeq),
      firstSeq: firstSeq === '' ? null : Number(firstSeq),
      jumpedTo: jumpedTo === '' ? null : Number(jumpedTo),
    };
  }

  /** Calls `wake` with the number of each new event, and with null when some may have been missed: then read. */
  subscribe(robot: string, wake: (seq: number | null) => void): Promise<() => void> {
    return this.#connections.subscriber.subscribe(robotKeys.eventsChannel(robot), (message) => wake(message === null ? null : Number(message)));
  }
}

/** Shortens the longest text until the data fits: an RFID tag may carry more than an event. */
function boundedJson(data: Record<string, unknown>): string {
  let json = JSON.stringify(data);
  const bounded = { ...data };
  while (Buffer.byteLength(json) > eventBytesMax) {
    const longest = Object.entries(bounded).reduce((a, b) => (JSON.stringify(b[1]).length > JSON.stringify(a[1]).length ? b : a));
    const value = longest[1];
    if (typeof value === 'string' && value.length > 0) bounded[longest[0]] = [...value].slice(0, Math.floor([...value].length * 0.8)).join('');
    else if (Array.isArray(value) && value.length > 0) bounded[longest[0]] = value.slice(0, Math.floor(value.length * 0.8));
    else throw new RangeError(`event data over ${eventBytesMax} bytes`);
    json = JSON.stringify(bounded);
  }
  return json;
}

function flagText(flag: boolean | null | undefined): string {
  if (flag === null || flag === undefined) return '';
  return flag ? '1' : '0';
}
