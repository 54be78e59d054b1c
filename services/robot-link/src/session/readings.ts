/** Latest readings of a robot, saved in Redis at intervals, so that gateways can read them when this instance is dead. */
import { acceptReadings, type Readings } from '@perch/schema';

/** Time after a head movement in which the robot may still shake, ms. */
const settleMs = 1000;

export class RobotReadings {
  readonly values: Readings = {};
  /** Redis ms of the last report; null before the first one. */
  at: number | null = null;
  #isSaved = true;
  #savedAt: number | null = null;
  /** performance.now() until which the head counts as moving. */
  #movingUntil = -Infinity;

  /** @param now Redis ms @param onDropped called for each value that is not a reading */
  accept(values: Record<string, unknown>, now: number, onDropped: () => void): void {
    // A movement that is no longer reported ended at an unknown time since the last report.
    const wasMoving = this.values['head_moving'] === true;
    acceptReadings(values, this.values, onDropped);
    if (wasMoving) this.headCommanded(0);
    this.at = now;
    this.#isSaved = false;
  }

  /** Notes that a movement of this length begins now at the latest, ms. */
  headCommanded(movementMs: number): void {
    this.#movingUntil = Math.max(this.#movingUntil, performance.now() + movementMs + settleMs);
  }

  get headMoving(): boolean {
    return this.headMovedWithin(0);
  }

  /** Returns whether the head moved by itself at any time in the last `ms`: the time that an input describes. */
  headMovedWithin(ms: number): boolean {
    return this.values['head_moving'] === true || performance.now() - ms < this.#movingUntil;
  }

  /** Returns whether to save the readings now: if there are new ones, and the last save is `everyMs` ago. */
  takeDue(now: number, everyMs: number): boolean {
    if (this.#isSaved) return false;
    // Spread the first saves of robots that connect at once.
    this.#savedAt ??= now - Math.random() * everyMs;
    if (now - this.#savedAt < everyMs) return false;
    this.#savedAt = now;
    this.#isSaved = true;
    return true;
  }
}
