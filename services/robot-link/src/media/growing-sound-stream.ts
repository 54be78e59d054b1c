/** Sends a sound that a renderer still makes. The robot does not know its length: the part with the flag last, which may be empty, ends it. */
import { pieceBytes } from './media-cache.js';
import { OutgoingSound } from './outgoing-sound.js';

const nothing = Buffer.alloc(0);
const readEveryMs = 60;
/** Redis did not answer for this long: the robot has run out of samples. */
const unreadMs = 5000;

export class GrowingSoundStream extends OutgoingSound {
  #unsent: Buffer = nothing;
  #ended = false;
  #lastSent = false;
  #reading = false;
  #timer: NodeJS.Timeout | null = null;
  #readAt = performance.now();

  protected keep(firstPiece: Buffer): void {
    this.#unsent = firstPiece;
  }

  protected drop(): void {
    this.#unsent = nothing;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  protected pump(): void {
    if (this.stopped || this.#lastSent || this.credit.sent < 0) return;
    while (this.#unsent.length > 0) {
      const length = this.credit.nextPart(this.#unsent.length);
      if (length === 0) break;
      this.#send(length);
    }
    if (this.#ended && this.#unsent.length === 0 && !this.#lastSent) this.#send(0);
    else if (!this.#ended && this.#unsent.length < pieceBytes && this.#timer === null) void this.#read();
  }

  #send(length: number): void {
    const payload = this.#unsent.subarray(0, length);
    this.#unsent = this.#unsent.subarray(length);
    this.#lastSent = this.#ended && this.#unsent.length === 0;
    this.sendPart(payload, this.#lastSent);
  }

  async #read(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    const { media, sound } = this.options;
    const part = await media.growing(sound, this.credit.sent + this.#unsent.length).catch(() => undefined);
    this.#reading = false;
    if (this.stopped) return;
    if (part === null || (part === undefined && performance.now() - this.#readAt > unreadMs)) return this.options.onGone();
    if (part !== undefined) {
      this.#readAt = performance.now();
      // A renderer writes whole samples.
      this.#unsent = Buffer.concat([this.#unsent, part.bytes]);
      this.#ended = part.ended;
    }
    if (!this.#ended && (part?.bytes.length ?? 0) < pieceBytes) this.#readLater();
    this.pump();
  }

  #readLater(): void {
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.pump();
    }, readEveryMs);
  }
}
