/** Robots of one variant, held by the process of the robots. */
import type { Worker } from '../worker.js';

export type RobotKind = 'frames' | 'socket.io' | 'mqtt';

export interface RobotSeed {
  id: string;
  token: string;
}

export interface ReportsOptions {
  /** Reports a second of all robots together. */
  perS: number;
  forMs: number;
}

/** What robots did so far, by their index. */
export interface Executed {
  perRobot: number[];
  /** Commands that were not what programs asked for. */
  problems: string[];
}

export class Fleet {
  readonly robots: readonly RobotSeed[];
  readonly #worker: Worker;
  readonly #id: number;

  private constructor(worker: Worker, id: number, robots: readonly RobotSeed[]) {
    this.#worker = worker;
    this.#id = id;
    this.robots = robots;
  }

  /** Connects them, round and round over the addresses, and resolves when all are in. */
  static async connect(worker: Worker, kind: RobotKind, urls: readonly string[], robots: readonly RobotSeed[]): Promise<Fleet> {
    return new Fleet(worker, await worker.ask<number>('connect', kind, urls, robots), robots);
  }

  /** This fleet and another one of the same variant as one. */
  async joined(other: Fleet): Promise<Fleet> {
    return new Fleet(this.#worker, await this.#worker.ask<number>('join', this.#id, other.#id), [...this.robots, ...other.robots]);
  }

  executed(): Promise<Executed> {
    return this.#worker.ask('executed', this.#id);
  }

  /** Every robot reports its sensors, evenly spread. @returns how many reports were sent */
  report(options: ReportsOptions): Promise<number> {
    return this.#worker.ask('report', this.#id, options);
  }

  /** Everybody's screen is tapped once. */
  tap(): Promise<void> {
    return this.#worker.ask('tap', this.#id);
  }

  disconnect(): Promise<void> {
    return this.#worker.ask('disconnect', this.#id);
  }
}
