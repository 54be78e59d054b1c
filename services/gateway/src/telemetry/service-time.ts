/**
 * How long a call took the service itself: the time in which nobody outside was waited for. Waiting for the body, for the robot, for a person
 * and for events counts as outside, from the moment Redis confirmed what was sent, or the robot-link has it if that is late.
 */
export class ServiceTime {
  readonly #beganAt: number;
  #outsideMs = 0;
  /** Parts of a call may wait side by side: their union counts. */
  #waits = 0;
  #waitingSince = 0;
  #ignored = false;

  /** @param beganAt on the monotonic clock, ms */
  constructor(beganAt: number) {
    this.#beganAt = beganAt;
  }

  /** The call waits for somebody outside. Every call of it is followed by one of `resumes`. */
  waits(): void {
    if (this.#waits++ === 0) this.#waitingSince = performance.now();
  }

  resumes(): void {
    if (--this.#waits === 0) this.#outsideMs += performance.now() - this.#waitingSince;
  }

  /** Part of a wait was the service's after all: until the robot-link had what was sent. */
  wasOurs(ms: number): void {
    this.#outsideMs -= ms;
  }

  /** Another request did the work: how long this one took says nothing. */
  ignore(): void {
    this.#ignored = true;
  }

  /** The service's own time until `now`, ms. */
  ms(now: number): number {
    if (this.#ignored) return 0;
    const waitingMs = this.#waits > 0 ? now - this.#waitingSince : 0;
    return now - this.#beganAt - this.#outsideMs - waitingMs;
  }
}
