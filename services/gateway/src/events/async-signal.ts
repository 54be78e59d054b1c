/** A signal that wakes a waiting task. It stays set until the next wait, so that no signal is lost. */
export class AsyncSignal {
  #isSet = false;
  #wake: (() => void) | null = null;

  set(): void {
    this.#isSet = true;
    this.#wake?.();
  }

  /** Resolves when the signal was set since the last wait, or after `ms`. */
  async wait(ms: number): Promise<void> {
    if (!this.#isSet && ms > 0) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
      this.#wake = null;
    }
    this.#isSet = false;
  }
}
