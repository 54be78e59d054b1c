/**
 * A robot's event log: numbered from 1, the last 1,000 of the last 30 days kept, numbers never used twice. Written by the robot-link that holds the robot,
 * read by any gateway.
 */
import { limits, type EventName, type RobotEvent } from '@perch/schema';
import { storedPlaces, type AccountStorage } from '../accounts/account-storage.js';
import { robotKeys } from '../keys.js';
import type { Numbering } from './numbering.js';
import type { Connections } from '../redis/connections.js';

/** How many events a robot may produce a second; numbering after a restored Redis relies on it. */
export const eventsPerSecondMax = 50;
/** Bounds of one robot's log. */
export interface EventsKept {
  count: number;
  /** Age at which an event is dropped: never read from then on, and deleted with the robot's next event or read, or when its last event is as old. */
  ms: number;
}

export const eventsKeptDefault: EventsKept = { count: limits.events.keptDefault, ms: limits.events.keptDaysDefault * 86_400_000 };

/** Events that one script looks at, so that it holds Redis up for a few milliseconds at most. */
const trimmedAtOnce = 1000;

/** Largest `data` of an event, bytes of JSON. */
export const eventBytesMax = limits.events.bytesMax;

export interface Append {
  session: string;
  bootId: string;
  /** The input that completed the events, or null where no input did (`connected`). */
  inSeq: number | null;
  /** Up to which input the robot may forget once this is stored; left out where nothing is known. */
  safeSeq?: number;
  /** May be empty: then only the mark advances. */
  events: readonly { name: EventName; data: Record<string, unknown> }[];
  near?: boolean | null;
  usb?: boolean | null;
}

export type Appended =
  | { appended: true; lastSeq: number }
  /** `lost`: another session holds the robot. `old`: this input was stored before. `busy`: above 50 a second, nothing was stored, try again. */
  | { appended: false; why: 'lost' | 'old' | 'busy' };

export interface EventPage {
  events: RobotEvent[];
  /** Highest number given out when this was read. */
  lastSeq: number;
  /** Oldest number kept; where none of those there were is, the next number; null when there was none. */
  firstSeq: number | null;
  /** First number given out after numbering last jumped (Redis had lost events), or null when it never did. */
  jumpedTo: number | null;
}

export class Events {
  readonly #connections: Connections;
  readonly #storage: AccountStorage;
  readonly #kept: EventsKept;
  readonly #numbering: Pick<Numbering, 'openedText' | 'verdict'>;
  readonly #hooked: (robot: string) => void;

  /** @param hooked told of a robot with new events that webhooks want */
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

  /**
   * Appends events to a robot's log in one step with the mark of the input that caused them.
   * A call whose answer was lost may be repeated: the mark answers `old`.
   * @throws {StoreError} when Redis does not answer; the events may or may not be kept
   */
  async append(robot: string, append: Append): Promise<Appended> {
    const keys = [robotKeys.lease(robot), robotKeys.log(robot), robotKeys.events(robot), robotKeys.record(robot)];
    const entries = append.events.flatMap(({ name, data }) => [name, boundedJson(data)]);
    let result: string | undefined, lastSeq: string | undefined, hooked: string | undefined;
    let account: string | undefined, bytes: number | undefined, aged: number | undefined;
    let verdict = '';
    for (let tries = 0; tries < 3; tries++) {
      const reply = (await this.#connections.script('eventsAppend', keys, [
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
      ])) as [string, string?, string?, string?, string?, number?, number?];
      [result, lastSeq, , hooked, account, bytes, aged] = reply;
      if (result !== 'run') break;
      const [, run = '', known = ''] = reply;
      verdict = await this.#numbering.verdict(robot, run, known);
      result = 'busy';
    }
    if (result === 'ok' && entries.length > 0) await this.#keepToBounds(robot, account!, bytes!, aged === 1);
    if (result === 'ok' && hooked !== '' && entries.length > 0) this.#hooked(robot);
    return result === 'ok' ? { appended: true, lastSeq: Number(lastSeq) } : { appended: false, why: result as 'lost' | 'old' | 'busy' };
  }

  /** Drops events that are too old and, where the account's storage is full, those beyond the log's share. The append stands whatever becomes of this. */
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

  /** @returns bytes of the log */
  async #trim(robot: string, share = Infinity): Promise<number> {
    const keys = [robotKeys.log(robot), robotKeys.events(robot)];
    return (await this.#connections.script('eventsTrim', keys, [share === Infinity ? '' : share, trimmedAtOnce])) as number;
  }

  /** The events after a number, oldest first; with `newest` the last `limit` of them. */
  async read(robot: string, { after = 0, limit = 1000, newest = false }: { after?: number; limit?: number; newest?: boolean }): Promise<EventPage> {
    const keys = [robotKeys.log(robot), robotKeys.events(robot)];
    const look = async () =>
      (await this.#connections.script('eventsRead', keys, [after, limit, newest ? 1 : 0])) as [string, string, string, Entry[]];
    let page = await look();
    while (page[0] === 'aged') {
      await this.#trim(robot);
      page = await look();
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

  /** Calls `wake` with the number of each event appended from now on, and with null when some may have been missed: then read. */
  subscribe(robot: string, wake: (seq: number | null) => void): Promise<() => void> {
    return this.#connections.subscriber.subscribe(robotKeys.eventsChannel(robot), (message) => wake(message === null ? null : Number(message)));
  }
}

/** As Redis returns it: its id, then fields and values. */
type Entry = [string, string[]];

/** Cuts the longest text until the data fits: a tag may carry more text than an event may. */
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
