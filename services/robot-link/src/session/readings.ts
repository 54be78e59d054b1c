/** A robot's last readings: in memory, and in Redis at most every so often for the time this instance does not answer. */
import { acceptReadings, type Readings } from '@perch/schema';

/** How long after a movement was begun the robot may still shake itself, ms. */
const settleMs = 2000;

export class RobotReadings {
  readonly values: Readings = {};
  /** Redis ms of the last report, or null before the first. */
  at: number | null = null;
  #savedAt: number | null = null;
  /** performance.now() until which a movement of the head counts as going on. */
  #movingUntil = 0;

  /** @param now Redis ms; @param onDropped called for each value that is not a reading */
  accept(values: Record<string, unknown>, now: number, onDropped: () => void): void {
    acceptReadings(values, this.values, onDropped);
    this.at = now;
  }

  /** The head was told to move. */
  headTold(): void {
    this.#movingUntil = performance.now() + settleMs;
  }

  get headMoving(): boolean {
    return this.values['head_moving'] === true || performance.now() < this.#movingUntil;
  }

  /** Whether there is something newer than what was saved, and the last time is long enough ago. Says yes once. */
  takeDue(now: number, everyMs: number): boolean {
    if (this.at === null || this.at === this.#savedAt) return false;
    if (this.#savedAt === null) {
      // The first report of many robots at once would be many writes at once.
      this.#savedAt = this.at - Math.random() * everyMs;
    }
    if (now - this.#savedAt < everyMs) return false;
    this.#savedAt = this.at;
    return true;
  }
}
