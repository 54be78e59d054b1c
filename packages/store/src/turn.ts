/**
 * What happens at the end of a turn of the event loop, so that what many callers do within one turn is done in one go:
 * first what they put off, then what that wrote leaves for Redis. All of it in one go, so that nothing waits a second time.
 *
 * It comes one look at the sockets later, which takes along what has arrived by then: a sixth less CPU an action at 16 in flight, and a lone
 * call waits for nothing, since the loop does not sleep before it (docs/performance.md).
 */
export class Turn {
  #work: (() => void)[] = [];
  #last: (() => void)[] = [];
  #scheduled = false;

  /** Runs `work` once this turn's events have been handled. It must not throw. */
  atEnd(work: () => void): void {
    this.#work.push(work);
    this.#schedule();
  }

  /** As `atEnd`, behind all of that, also what it put off in its turn. */
  atLast(work: () => void): void {
    this.#last.push(work);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => setImmediate(() => this.#end()));
  }

  #end(): void {
    for (let i = 0; i < this.#work.length; i += 1) this.#work[i]!();
    this.#work = [];
    const last = this.#last;
    this.#last = [];
    this.#scheduled = false;
    for (const work of last) work();
  }
}
