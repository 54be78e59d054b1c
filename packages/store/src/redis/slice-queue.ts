/** Reads long lists slice by slice, accounts in turn, with pauses: they take at most a third of the time of this instance and of Redis. */
const pausePerMs = 2;
const pauseMaxMs = 40;

interface Slice {
  run: () => Promise<void>;
  result: Promise<unknown>;
}

export class SliceQueue {
  /** By account and name; both maps are in the order of their turns. */
  readonly #waiting = new Map<string, Map<string, Slice>>();
  #working = false;

  /** Calls of one account with the same name share a run that has not started when they arrive: no call gets data that was read before it. */
  run<T>(account: string, name: string, read: () => Promise<T>): Promise<T> {
    let slices = this.#waiting.get(account);
    if (slices === undefined) this.#waiting.set(account, (slices = new Map<string, Slice>()));
    let slice = slices.get(name);
    if (slice === undefined) slices.set(name, (slice = sliceOf(read)));
    if (!this.#working) void this.#work();
    return slice.result as Promise<T>;
  }

  async #work(): Promise<void> {
    this.#working = true;
    // Lists that start in the same event-loop iteration share their first slice.
    await nextIteration();
    for (let slice = this.#take(); slice !== null; slice = this.#take()) {
      const since = performance.now();
      await slice.run();
      const tookMs = performance.now() - since;
      await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMaxMs, pausePerMs * tookMs)));
    }
    this.#working = false;
  }

  #take(): Slice | null {
    const turn = this.#waiting.entries().next();
    if (turn.done === true) return null;
    const [account, slices] = turn.value;
    const [name, slice] = slices.entries().next().value!;
    slices.delete(name);
    this.#waiting.delete(account);
    if (slices.size > 0) this.#waiting.set(account, slices);
    return slice;
  }
}

export function nextIteration(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function sliceOf<T>(read: () => Promise<T>): Slice {
  let settle: (result: T | PromiseLike<T>) => void;
  const result = new Promise<T>((resolve) => (settle = resolve));
  const run = async (): Promise<void> => {
    const reading = read();
    settle(reading);
    await reading.catch(() => {});
  };
  return { run, result };
}
