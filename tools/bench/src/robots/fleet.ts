import type { Picture } from './plain-robot.js';
import type { Worker } from '../worker.js';

/** `frames-png8` also reads PNGs with a palette. */
export type RobotKind = 'frames' | 'frames-png8' | 'socket.io' | 'mqtt';

export interface RobotSeed {
  id: string;
  token: string;
}

export interface ReportsOptions {
  perS: number;
  forMs: number;
}

/** By index of the robot. */
export interface Executed {
  perRobot: number[];
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

  static async connect(worker: Worker, kind: RobotKind, urls: readonly string[], robots: readonly RobotSeed[]): Promise<Fleet> {
    return new Fleet(worker, await worker.ask<number>('connect', kind, urls, robots), robots);
  }

  async joined(other: Fleet): Promise<Fleet> {
    return new Fleet(this.#worker, await this.#worker.ask<number>('join', this.#id, other.#id), [...this.robots, ...other.robots]);
  }

  executed(): Promise<Executed> {
    return this.#worker.ask('executed', this.#id);
  }

  /** Evenly spread. @returns the number of reports sent */
  report(options: ReportsOptions): Promise<number> {
    return this.#worker.ask('report', this.#id, options);
  }

  /** Returns the pictures of all robots since the last call, in the order in which they were complete. */
  takePictures(): Promise<Picture[]> {
    return this.#worker.ask('takePictures', this.#id);
  }

  tap(): Promise<void> {
    return this.#worker.ask('tap', this.#id);
  }

  disconnect(): Promise<void> {
    return this.#worker.ask('disconnect', this.#id);
  }
}
