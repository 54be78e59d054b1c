import type { Acted, ActOptions } from './load/load.js';
import { cpuMs } from './operating-system.js';
import { Worker } from './worker.js';

const echoed = '{"ok":true}';
const warmUpCalls = 1500;

/** An echo process that is called in each round: a round in which it costs more than in others was made on a slower machine. */
export class Calibrator {
  readonly #worker: Worker;
  readonly #load: Worker;
  readonly #base: string;
  readonly #calls: number;

  private constructor(worker: Worker, load: Worker, base: string, calls: number) {
    this.#worker = worker;
    this.#load = load;
    this.#base = base;
    this.#calls = calls;
  }

  static async start(load: Worker, calls: number): Promise<Calibrator> {
    const worker = new Worker('variants/echo-main');
    try {
      const calibrator = new Calibrator(worker, load, await worker.ask<string>('start'), calls);
      await calibrator.#call(Math.min(warmUpCalls, 10 * calls));
      return calibrator;
    } catch (error) {
      await worker.stop();
      throw error;
    }
  }

  /** @returns ms of its processor time for each call */
  async cpuMs(): Promise<number> {
    const before = cpuMs(this.#worker.pid);
    await this.#call(this.#calls);
    return (cpuMs(this.#worker.pid) - before) / this.#calls;
  }

  stop(): Promise<void> {
    return this.#worker.stop();
  }

  async #call(calls: number): Promise<void> {
    const targets = { base: this.#base, keys: ['echo'], robots: ['echo'] };
    const options: ActOptions = { calls, inFlight: 16, withinMs: 60_000, body: echoed, expected: echoed };
    const { wrong, wrongOnes } = await this.#load.ask<Acted>('act', targets, options);
    if (wrong > 0) throw new Error(`the calibrator: ${wrongOnes.join(' | ')}`);
  }
}
