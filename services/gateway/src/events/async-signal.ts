/** A bell that remembers one ring: whoever waits is woken by it, or finds that it rang before. */
export class Wake {
  #rung = false;
  #answer: (() => void) | null = null;

  ring(): void {
    this.#rung = true;
    this.#answer?.();
  }

  /** Resolves when it was rung since the last time, or after `ms`. */
  async within(ms: number): Promise<void> {
    if (!this.#rung && ms > 0) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#answer = resolve;
        timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
      this.#answer = null;
    }
    this.#rung = false;
  }
}
