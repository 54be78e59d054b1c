import { AsyncSignal } from '@perch/runtime';
import type { Armed, WaitOutcome } from '@perch/schema';
import { StoreError, type Store, type StoredWait } from '@perch/store';

/** How long a follower continues while Redis is unreachable, and the interval of retries meanwhile, ms. */
const storeAwayMs = 3_000;
const storeRetryMs = 250;

/** What a follower makes of a state: its result, or the time of its next look if no message comes before. */
export type Step<T> = { result: T } | { lookInMs: number };

export interface FollowOptions<T> {
  /** The state that is known, and when to look first if no message comes before. Absent: the wait is read at once. */
  from?: { state: StoredWait; lookInMs: number };
  signal: AbortSignal;
  /** Wakes the follower, whose step decides what it means. */
  givenUp?: AbortSignal | null | undefined;
  /** @param state null: the record has expired, or the robot was removed. Called again after a StoreError */
  step: (state: StoredWait | null) => Promise<Step<T>>;
}

/**
 * Follows one wait. Messages are hints: what they carry is applied to the last state only if none may have been lost; otherwise the wait is read. A
 * question of the queue opens under another number, so that every message of its robot wakes its followers until a read has told the number.
 */
export class WaitWatch {
  readonly #waits: Pick<Store['waits'], 'subscribe' | 'read'>;
  readonly #robot: string;
  readonly #changed = new AsyncSignal();
  readonly #subscribed: Promise<() => void>;
  #number: number | null;
  /** The number of the open wait that the last state is of; null: not known, or the question is in the queue. */
  #openNumber: number | null = null;
  #armed: Armed | null = null;
  #end: { outcome: WaitOutcome; robotAway: boolean } | null = null;
  #hasNews = false;
  #mustRead = false;

  /** @param number null: the wait has none yet; call `opens` before `follow` */
  constructor(waits: Pick<Store['waits'], 'subscribe' | 'read'>, robot: string, number: number | null) {
    this.#waits = waits;
    this.#robot = robot;
    this.#number = number;
    this.#subscribed = waits.subscribe(robot, (about, news) => {
      const isAbout = about !== null && about === this.#openNumber;
      if (about !== null && !isAbout && about !== this.#number && (this.#openNumber !== null || this.#number === null)) return;
      if (news === null || !isAbout) this.#mustRead = true;
      else {
        this.#hasNews = true;
        if ('armed' in news) this.#armed = news.armed;
        else this.#end = news;
      }
      this.#changed.set();
    });
    // `ready` reports it.
    this.#subscribed.catch(() => {});
  }

  /** Resolves once no message is missed any more. @throws {StoreError} */
  async ready(): Promise<void> {
    await this.#subscribed;
  }

  /** Says under which number the wait is about to open: messages about it count from now on. */
  opens(number: number): void {
    this.#number = number;
    this.#openNumber = number;
  }

  /** Calls `step` with each state of the wait until it has a result. @throws the reason of `signal`; errors of `step`; StoreError */
  async follow<T>({ from, signal, givenUp, step }: FollowOptions<T>): Promise<T> {
    const wake = (): void => this.#changed.set();
    givenUp?.addEventListener('abort', wake, { once: true });
    let state = from?.state ?? null;
    let lookInMs = from?.lookInMs ?? 0;
    let storeAwaySince: number | null = null;
    try {
      // Subscribed first, then read: no change before the first read is missed.
      await this.ready();
      for (;;) {
        await this.#changed.wait(storeAwaySince === null ? lookInMs : storeRetryMs, signal);
        try {
          state = this.#newsOf(state) ?? (await this.#read());
          storeAwaySince = null;
          const next = await step(state);
          if ('result' in next) return next.result;
          lookInMs = next.lookInMs;
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          storeAwaySince ??= performance.now();
          if (performance.now() - storeAwaySince > storeAwayMs) throw error;
        }
      }
    } finally {
      givenUp?.removeEventListener('abort', wake);
      this.end();
    }
  }

  end(): void {
    this.#subscribed.then(
      (unsubscribe) => unsubscribe(),
      () => {},
    );
  }

  async #read(): Promise<StoredWait | null> {
    const state = await this.#waits.read(this.#robot, this.#number!);
    this.#openNumber = state === null || state.queued === true ? null : state.record.number;
    return state;
  }

  /** Returns the state as messages changed it since the last call. Null: it must be read, since none arrived, or one may have been lost. */
  #newsOf(state: StoredWait | null): StoredWait | null {
    const isWhole = this.#hasNews && !this.#mustRead;
    this.#hasNews = false;
    this.#mustRead = false;
    if (state === null) return null;
    const armed = this.#armed ?? state.armed;
    if (!isWhole || (this.#end !== null && armed === null)) return null;
    return { ...state, armed, ...this.#end };
  }
}
