/** The clock of a robot, as far as its messages tell it. */
export class RobotClock {
  /** The robot's clock minus performance.now(), at least: a message is never early. */
  #offset: number | null = null;

  /** Notes the time that a message of the robot bears, ms. */
  note(ms: number): void {
    const offset = ms - performance.now();
    if (this.#offset === null || offset > this.#offset) this.#offset = offset;
  }

  /** The earliest time that the robot's clock can show now, ms; null before its first message that bears one. */
  now(): number | null {
    return this.#offset === null ? null : Math.floor(this.#offset + performance.now());
  }
}
