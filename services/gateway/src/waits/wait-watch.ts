import { AsyncSignal } from '@perch/runtime';
import type { Armed, WaitOutcome } from '@perch/schema';
import type { Store, StoredWait } from '@perch/store';

/** Receives what becomes of a wait, from the moment that `ready` resolves. Messages are hints: `newsOf` says when the wait must be read. */
export class WaitWatch {
  readonly changed = new AsyncSignal();
  readonly #subscribed: Promise<() => void>;
  #armed: Armed | null = null;
  #end: { outcome: WaitOutcome; robotAway: boolean } | null = null;
  #hasNews = false;
  #mustRead = false;
  /** Null until the wait has a number: all messages are about other waits. */
  number: number | null;

  constructor(waits: Pick<Store['waits'], 'subscribe'>, robot: string, number: number | null) {
    this.number = number;
    this.#subscribed = waits.subscribe(robot, (heard, news) => {
      if (heard !== null && heard !== this.number) return;
      if (news === null) this.#mustRead = true;
      else {
        this.#hasNews = true;
        if ('armed' in news) this.#armed = news.armed;
        else this.#end = news;
      }
      this.changed.set();
    });
    // `ready` reports it.
    this.#subscribed.catch(() => {});
  }

  /** @throws {StoreError} */
  async ready(): Promise<void> {
    await this.#subscribed;
  }

  /** Returns the state as messages changed it since the last call. Null: it must be read, since none arrived, or one may have been lost. */
  newsOf(state: StoredWait): StoredWait | null {
    const isWhole = this.#hasNews && !this.#mustRead;
    this.#hasNews = false;
    this.#mustRead = false;
    const armed = this.#armed ?? state.armed;
    if (!isWhole || (this.#end !== null && armed === null)) return null;
    return { ...state, armed, ...this.#end };
  }

  end(): void {
    this.#subscribed.then(
      (unsubscribe) => unsubscribe(),
      () => {},
    );
  }
}
