/** Polls a source that sends no notifications, for as long as it has subscribers; all subscribers share one poll and receive each change. */
export interface SharedPollerOptions<T> {
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
