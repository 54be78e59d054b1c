/** Ahead of what the robot has acknowledged: what it plays between two flow messages (a quarter of a second) plus a second at the start. */
export const aheadBytesMax = 192 * 1024;

export class Credit {
  /** Bytes written, from the start of the sound; -1 until the robot's first flow message after a resume. */
  sent = 0;
  #limit = 0;
  #received = 0;
  readonly #partBytesMax: number;

  constructor(partBytesMax: number) {
    this.#partBytesMax = partBytesMax - (partBytesMax % 2);
  }

  begin(bytes: number): void {
    this.#limit = Math.min(bytes, aheadBytesMax);
  }

  resume(): void {
    this.sent = -1;
  }

  onFlow(received: number, free: number): void {
    if (this.sent === -1) this.sent = received;
    this.#received = received;
    this.#limit = received + Math.min(free, aheadBytesMax);
  }

  /** Returns how many of the available bytes to send as the next part; 0 while the credit allows only a tiny part. Never splits a sample. */
  nextPart(available: number): number {
    const most = Math.min(this.#partBytesMax, available);
    const length = Math.min(most, this.#limit - this.sent);
    if (length >= most) return most;
    if (length < this.#partBytesMax / 2 && this.sent > this.#received) return 0;
    return Math.max(0, length - (length % 2));
  }
}
