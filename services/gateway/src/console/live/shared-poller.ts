/**
 * Something that changes without saying so, looked at again and again while somebody wants to know: one look for all of them, told when
 * what it found is another.
 */
export interface SharedLookOptions<T> {
  /** @throws where it cannot be said now: those who wait keep what they had */
  look: () => Promise<T>;
  /** From the end of a look to the next, ms. @param found by the last look; null where none has succeeded yet */
  everyMs: (found: T | null) => number;
  /** What must differ for a change to count. */
  compared: (found: T) => string;
  /** What they are told. */
  textOf: (found: T) => string;
  /** The last one left. */
  empty: () => void;
}

type Listener = (text: string) => void;

export class SharedLook<T> {
  readonly #options: SharedLookOptions<T>;
  readonly #listeners = new Set<Listener>();
  #found: { value: T; compared: string; text: string } | null = null;
  #looking = false;
  #lookAgain = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: SharedLookOptions<T>) {
    this.#options = options;
  }

  /** Tells at once what is known, and from then on each change. @returns leaves */
  join(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#found !== null) listener(this.#found.text);
    else this.wake();
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#options.empty();
    };
  }

  /** Something has just changed: looks now. */
  wake(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#looking) this.#lookAgain = true;
    else void this.#look();
  }

  async #look(): Promise<void> {
    this.#looking = true;
    do {
      this.#lookAgain = false;
      try {
        this.#tell(await this.#options.look());
      } catch {
        // Redis is away, mostly: the next look comes soon.
      }
    } while (this.#lookAgain && this.#listeners.size > 0);
    this.#looking = false;
    if (this.#listeners.size > 0) this.#timer = setTimeout(() => this.wake(), this.#options.everyMs(this.#found?.value ?? null));
  }

  #tell(found: T): void {
    const compared = this.#options.compared(found);
    if (compared === this.#found?.compared) return;
    const text = this.#options.textOf(found);
    this.#found = { value: found, compared, text };
    for (const listener of this.#listeners) listener(text);
  }
}
