/** Excludes waits for body, robot, tap or event. A wait for the robot begins when Redis, or if later the robot-link, has the message. */
export class ServiceTime {
  readonly #beganAt: number;
  #outsideMs = 0;
  /** Number of parts of the call that wait. They may wait concurrently: the union of their times counts. */
  #waits = 0;
  #waitingSince = 0;
  #ignored = false;

  constructor(beganAt: number) {
    this.#beganAt = beganAt;
  }

  /** Every `pause` is followed by one `resume`. */
  pause(): void {
    if (this.#waits++ === 0) this.#waitingSince = performance.now();
  }

  resume(): void {
    if (--this.#waits === 0) this.#outsideMs += performance.now() - this.#waitingSince;
  }

  /** Counts part of a pause as the service's own time: the delivery of the message to the robot-link. */
  addBack(ms: number): void {
    this.#outsideMs -= ms;
  }

  /** Excludes this request from the measurement, because another request did the work or its duration means nothing. */
  ignore(): void {
    this.#ignored = true;
  }

  ms(now: number): number {
    if (this.#ignored) return 0;
    const waitingMs = this.#waits > 0 ? now - this.#waitingSince : 0;
    return now - this.#beganAt - this.#outsideMs - waitingMs;
  }
}

/** Deadlines of a call, ms from its arrival. */

export const sendWithinMs = 10_000;
export const answerWithinMs = 13_000;
/** Minimum lifetime of a command's picture, ms: it may be rendered early and sent late. */
export const commandMediaMs = sendWithinMs + 5_000;
/** Minimum lifetime of a picture that stays on the screen, ms: the robot-link copies it 10 s after it was shown. */
export const shownMediaMs = 60_000;
