/** The robot's clock in a page: its timers run in a worker, so that it goes on playing and reporting while the page is hidden. */
import type { Clock } from '@perch/virtual-robot/browser';

export class WorkerClock implements Clock {
  readonly #worker = new Worker(new URL('./clock-worker.ts', import.meta.url), { type: 'module' });
  readonly #waiting = new Map<number, () => void>();
  #last = 0;

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<number>) => {
      const run = this.#waiting.get(data);
      this.#waiting.delete(data);
      run?.();
    });
  }

  now(): number {
    return performance.now();
  }

  setTimeout(run: () => void, ms: number): number {
    const id = ++this.#last;
    this.#waiting.set(id, run);
    this.#worker.postMessage({ id, ms });
    return id;
  }

  clearTimeout(timer: unknown): void {
    const id = timer as number;
    if (this.#waiting.delete(id)) this.#worker.postMessage({ id, ms: null });
  }

  /** Nothing that waits runs any more. */
  end(): void {
    this.#waiting.clear();
    this.#worker.terminate();
  }
}
