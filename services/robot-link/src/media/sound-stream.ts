/** Never sends a byte beyond `received + free`. Pieces are read ahead, so that a sound of any length takes the memory of two. */
import { pieceBytes } from './media-cache.js';
import { OutgoingSound } from './outgoing-sound.js';

export class SoundStream extends OutgoingSound {
  readonly #pieces = new Map<number, Buffer>();
  #reading = false;

  protected keep(firstPiece: Buffer): void {
    this.#pieces.set(0, firstPiece);
  }

  protected drop(): void {
    this.#pieces.clear();
  }

  protected pump(): void {
    const { sound } = this.options;
    while (!this.stopped && this.credit.sent >= 0 && this.credit.sent < sound.bytes) {
      const index = Math.floor(this.credit.sent / pieceBytes);
      const piece = this.#pieces.get(index);
      if (piece === undefined) return this.#read(index);
      const length = this.credit.nextPart(index * pieceBytes + piece.length - this.credit.sent);
      if (length === 0) break;
      this.#send(piece, index, length);
    }
    this.#readAhead();
  }

  #send(piece: Buffer, index: number, length: number): void {
    const start = this.credit.sent - index * pieceBytes;
    const last = this.credit.sent + length === this.options.sound.bytes;
    this.sendPart(piece.subarray(start, start + length), last);
    if (last || this.credit.sent === index * pieceBytes + piece.length) this.#pieces.delete(index);
  }

  #readAhead(): void {
    const { sound } = this.options;
    if (this.stopped || this.credit.sent < 0) return;
    const next = Math.floor(this.credit.sent / pieceBytes) + 1;
    if (next * pieceBytes < sound.bytes && !this.#pieces.has(next)) this.#read(next);
  }

  /** A failed read is retried with the robot's next flow message, four times a second. */
  #read(index: number): void {
    if (this.#reading) return;
    this.#reading = true;
    this.options.media.piece(this.options.sound, index).then(
      (piece) => {
        this.#reading = false;
        if (this.stopped) return;
        if (piece === null) return this.options.onGone();
        this.#pieces.set(index, piece);
        this.pump();
      },
      () => {
        this.#reading = false;
      },
    );
  }
}
