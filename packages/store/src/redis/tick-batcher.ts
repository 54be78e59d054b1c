/**
 * Runs deferred callbacks, then flushes what they wrote to Redis, one iteration late, so that commands arriving meanwhile share the write: a sixth
 * less CPU per action at 16 in flight. A single call waits for nothing, because the loop does not sleep before that (docs/performance.md).
 */
export class TickBatcher {
  #work: (() => void)[] = [];
  #last: (() => void)[] = [];
  #scheduled = false;

  /** If `work` throws, the exception is uncaught, but the other callbacks run. */
  enqueue(work: () => void): void {
    this.#work.push(work);
    this.#schedule();
  }

  /** Runs `work` after everything given to `enqueue`, including work that is enqueued meanwhile. */
  flushLast(work: () => void): void {
    this.#last.push(work);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => setImmediate(() => this.#end()));
  }

  #end(): void {
    for (let i = 0; i < this.#work.length; i += 1) run(this.#work[i]!);
    this.#work = [];
    const last = this.#last;
    this.#last = [];
    this.#scheduled = false;
    for (const work of last) run(work);
  }
}

/** Thrown inside the batch, an exception would skip the callbacks behind it and leave the batch scheduled for good. */
function run(work: () => void): void {
  try {
    work();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
