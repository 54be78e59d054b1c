/** The robots of a worker: connected at a limited rate, and counted as they lose and regain their sessions. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Histogram } from '../histogram.js';
import type { LoadRobot } from './load-robot.js';
import { sharedNow } from './shared-clock.js';

const dialsPerS = 400;
const sliceMs = 20;

export class Robots {
  readonly all: LoadRobot[] = [];
  readonly awayTimes = new Histogram();
  connected = 0;
  #storm: { lost: number; back: number; lastBackAt: number } = { lost: 0, back: 0, lastBackAt: 0 };

  get storm(): { lost: number; back: number; lastBackAt: number } {
    return { ...this.#storm };
  }

  watchStorm(): void {
    this.#storm = { lost: 0, back: 0, lastBackAt: 0 };
  }

  lost(): void {
    this.connected -= 1;
    this.#storm.lost += 1;
  }

  welcomed(robot: LoadRobot): void {
    this.connected += 1;
    if (robot.lostAt === -Infinity) return;
    this.awayTimes.record(sharedNow() - robot.lostAt);
    this.#storm.back += 1;
    this.#storm.lastBackAt = Date.now();
  }

  async connect(withinMs: number): Promise<void> {
    const until = performance.now() + withinMs;
    for (const [i, robot] of this.all.entries()) {
      robot.dial();
      if (i % ((dialsPerS * sliceMs) / 1000) === 0) await sleep(sliceMs);
    }
    while (this.connected < this.all.length && performance.now() < until) await sleep(50);
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((robot) => robot.stop()));
  }
}
