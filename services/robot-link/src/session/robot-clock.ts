export class RobotClock {
  /** Lower bound of the robot's clock minus performance.now(): messages can be late, never early. */
  #offset: number | null = null;

  note(ms: number): void {
    const offset = ms - performance.now();
    if (this.#offset === null || offset > this.#offset) this.#offset = offset;
  }

  /** Returns the earliest time that the robot's clock can show; null before its first message with a time. */
  now(): number | null {
    return this.#offset === null ? null : Math.floor(this.#offset + performance.now());
  }
}
