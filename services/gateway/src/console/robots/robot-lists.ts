/** Polls the robot lists that pages show, once per account for all its pages of this instance. */
import type { RobotsAnswer, ShownRobot } from '@perch/schema';
import { sseRecord } from '../../http/sse.js';
import { LRUCache } from 'lru-cache';
import type { RobotStates } from '../../robots/robot-states.js';
import type { RobotAccess } from '../sharing/robot-access.js';

const intervalMs = 1500;
/** The interval grows by 1.5 s with each 1000 robots of the account: a list of 10,000 robots is read every 15 s. */
const robotsPerRead = 1000;

export class RobotLists {
  readonly #read: (account: string) => Promise<RobotsAnswer>;
  readonly #pollers = new Map<string, SharedPoller<RobotsAnswer>>();

  constructor(read: (account: string) => Promise<RobotsAnswer>) {
    this.#read = read;
  }

  subscribe(account: string, onRecord: (record: string) => void): () => void {
    let poller = this.#pollers.get(account);
    if (poller === undefined) {
      poller = new SharedPoller<RobotsAnswer>({
        intervalMs: (answer) => intervalMs * Math.max(1, Math.ceil((answer?.total ?? 0) / robotsPerRead)),
        poll: () => this.#read(account),
        // `last_seen` of an online robot is the current time: not a change.
        comparable: ({ robots, shared = [], ...answer }) =>
          JSON.stringify({ ...answer, robots: [...robots, ...shared].map((one) => (one.online ? { ...one, last_seen: null } : one)) }),
        format: (answer) => sseRecord({ event: 'robots', data: answer }),
        onEmpty: () => this.#pollers.delete(account),
      });
      this.#pollers.set(account, poller);
    }
    return poller.subscribe(onRecord);
  }

  changed(account: string): void {
    this.#pollers.get(account)?.pollNow();
  }
}

/** Polls a source that sends no notifications, for as long as it has subscribers; all subscribers share one poll and receive each change. */
interface SharedPollerOptions<T> {
  poll: () => Promise<T>;
  /** Pause between two polls, ms. @param value of the last successful poll; null before the first */
  intervalMs: (value: T | null) => number;
  comparable: (value: T) => string;
  format: (value: T) => string;
  onEmpty: () => void;
}

type Listener = (text: string) => void;

export class SharedPoller<T> {
  readonly #options: SharedPollerOptions<T>;
  readonly #listeners = new Set<Listener>();
  #last: { value: T; comparable: string; text: string } | null = null;
  #polling = false;
  #pollAgain = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: SharedPollerOptions<T>) {
    this.#options = options;
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#last !== null) listener(this.#last.text);
    else this.pollNow();
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#options.onEmpty();
    };
  }

  /** Polls now, and once more if a poll is running: it may have read the source before the change. */
  pollNow(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#polling) this.#pollAgain = true;
    else void this.#poll();
  }

  async #poll(): Promise<void> {
    this.#polling = true;
    do {
      this.#pollAgain = false;
      try {
        this.#publish(await this.#options.poll());
      } catch {
        // Usually Redis is unavailable; the next poll follows soon.
      }
    } while (this.#pollAgain && this.#listeners.size > 0);
    this.#polling = false;
    if (this.#listeners.size > 0) this.#timer = setTimeout(() => this.pollNow(), this.#options.intervalMs(this.#last?.value ?? null));
  }

  #publish(value: T): void {
    const comparable = this.#options.comparable(value);
    if (comparable === this.#last?.comparable) return;
    const text = this.#options.format(value);
    this.#last = { value, comparable, text };
    for (const listener of this.#listeners) listener(text);
  }
}

/** A robot is asked at most this often by one instance, however many pages show it. */
const everyMs = 500;
const robotsMax = 10_000;

/** Reads what robots show from their robot-links, which answer several robots at once. Costs Redis nothing but the messages. */
export class ShowingReader {
  readonly #access: Pick<RobotAccess, 'watch'>;
  readonly #states: Pick<RobotStates, 'watch'>;
  readonly #recent = new LRUCache<string, Promise<ShownRobot | null>>({ max: robotsMax, ttl: everyMs });

  constructor(access: Pick<RobotAccess, 'watch'>, states: Pick<RobotStates, 'watch'>) {
    this.#access = access;
    this.#states = states;
  }

  /** Omits robots that the account may not watch, robots that are away, and those whose robot-link did not reply. */
  async read(account: string, robots: readonly string[]): Promise<ShownRobot[]> {
    const found = await Promise.all(robots.map((robot) => this.#one(account, robot)));
    return found.filter((one) => one !== null);
  }

  async #one(account: string, robot: string): Promise<ShownRobot | null> {
    const access = await this.#access.watch(account, robot).catch(() => null);
    if (access === null || access.known.lease.state === 'away') return null;
    const recent = this.#recent.get(robot);
    if (recent !== undefined) return recent;
    const asked = this.#ask(robot);
    this.#recent.set(robot, asked);
    return asked;
  }

  async #ask(robot: string): Promise<ShownRobot | null> {
    try {
      const { state, doing } = await this.#states.watch(robot);
      // Without a reply, the state is the saved one, which may be old.
      if (doing === null) return null;
      const { showing } = state;
      return { id: robot, showing, bubble: doing.bubble, readings: showing.view === 'readings' ? (state.readings as ShownRobot['readings']) : {} };
    } catch {
      // Removed meanwhile, or Redis is unavailable.
      return null;
    }
  }
}
