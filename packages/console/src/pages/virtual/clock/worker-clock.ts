/** Timers run in a worker, so that the robot keeps playing and reporting while the page is hidden. */
import type { Clock } from '@perch/virtual-robot/browser';

export class WorkerClock implements Clock {
  readonly #worker = new Worker(new URL('./clock-worker.ts', import.meta.url), { type: 'module' });
  readonly #pending = new Map<number, () => void>();
  #last = 0;

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<number>) => {
      const run = this.#pending.get(data);
      this.#pending.delete(data);
      run?.();
    });
  }

  now(): number {
    return performance.now();
  }

  setTimeout(run: () => void, ms: number): number {
    const id = ++this.#last;
    this.#pending.set(id, run);
    this.#worker.postMessage({ id, ms });
    return id;
  }

  clearTimeout(timer: unknown): void {
    const id = timer as number;
    if (this.#pending.delete(id)) this.#worker.postMessage({ id, ms: null });
  }

  end(): void {
    this.#pending.clear();
    this.#worker.terminate();
  }
}
