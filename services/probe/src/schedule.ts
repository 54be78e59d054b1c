/** Turns at a fixed interval from start to start, by the monotonic clock. Turns that a stopped process missed are left out: they would come at once. */
export class Schedule {
  readonly #intervalMs: number;
  readonly #onTurn: (turn: number) => void;
  #timer: NodeJS.Timeout | null = null;
  #turn = 0;
  #dueAt = 0;

  constructor(intervalMs: number, onTurn: (turn: number) => void) {
    this.#intervalMs = intervalMs;
    this.#onTurn = onTurn;
  }

  start(): void {
    this.#dueAt = performance.now();
    this.#next();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #next(): void {
    this.#timer = setTimeout(
      () => {
        const now = performance.now();
        do this.#dueAt += this.#intervalMs;
        while (this.#dueAt <= now);
        this.#next();
        this.#onTurn(this.#turn++);
      },
      Math.max(0, this.#dueAt - performance.now()),
    );
  }
}
