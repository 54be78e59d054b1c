/** A robot's latest readings: in memory, and saved in Redis at intervals, for readers while this instance is gone. */
import { acceptReadings, type Readings } from '@perch/schema';

/** Time after the start of a head movement in which the robot may still shake, ms. */
const settleMs = 2000;

export class RobotReadings {
  readonly values: Readings = {};
  /** Redis ms of the last report; null before the first one. */
  at: number | null = null;
  #savedAt: number | null = null;
  /** performance.now() until which the head counts as moving. */
  #movingUntil = 0;

  /** Stores a report. @param now Redis ms; @param onDropped called for each value that is not a reading */
  accept(values: Record<string, unknown>, now: number, onDropped: () => void): void {
    acceptReadings(values, this.values, onDropped);
    this.at = now;
  }

  headCommanded(): void {
    this.#movingUntil = performance.now() + settleMs;
  }

  get headMoving(): boolean {
    return this.values['head_moving'] === true || performance.now() < this.#movingUntil;
  }

  /** Returns whether readings changed since the last save and `everyMs` has passed since. Returns true once per save. */
  takeDue(now: number, everyMs: number): boolean {
    if (this.at === null || this.at === this.#savedAt) return false;
    if (this.#savedAt === null) {
      // Spread the first saves, so that many robots that connect at once are not saved at once.
      this.#savedAt = this.at - Math.random() * everyMs;
    }
    if (now - this.#savedAt < everyMs) return false;
    this.#savedAt = this.at;
    return true;
  }
}
