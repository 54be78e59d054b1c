/** A flag that one task can wait for. A flag that is set while the task does not wait ends its next wait at once, so no signal is lost. */
export class AsyncSignal {
  #isSet = false;
  #wake: (() => void) | null = null;

  set(): void {
    this.#isSet = true;
    this.#wake?.();
  }

  /** Resets the flag. @returns false if `withinMs` elapsed first @throws the reason of `signal`, which does not reset the flag */
  async wait(withinMs: number, signal?: AbortSignal): Promise<boolean> {
    signal?.throwIfAborted();
    if (!this.#isSet && withinMs > 0) await this.#pause(withinMs, signal);
    signal?.throwIfAborted();
    const wasSet = this.#isSet;
    this.#isSet = false;
    return wasSet;
  }

  #pause(withinMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        this.#wake = null;
        resolve();
      };
      const timer = setTimeout(wake, withinMs);
      signal?.addEventListener('abort', wake, { once: true });
      this.#wake = wake;
    });
  }
}
