/// <reference lib="es2024.arraybuffer" />
/** `free` returns the memory at once, as a mapping. Buffers would stay until a full garbage collection, then as holes in the heap. */
import { MessageChannel } from 'node:worker_threads';

/** Bodies up to this size use an ordinary buffer: a mapping would cost more than it saves. */
const ordinaryBytesMax = 64 * 1024;
const stepBytes = 256 * 1024;

export class BodyBytes {
  readonly #bytesMax: number;
  readonly #block: ArrayBuffer;
  readonly #view: Uint8Array;
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#block = bytesMax <= ordinaryBytesMax ? new ArrayBuffer(bytesMax) : new ArrayBuffer(0, { maxByteLength: bytesMax });
    this.#view = new Uint8Array(this.#block);
  }

  /** The bytes received so far. Valid until `free`. */
  get received(): Buffer {
    return Buffer.from(this.#block, 0, this.#length);
  }

  /** Appends a chunk. @returns false if the body exceeds its maximum; the chunk is then discarded */
  append(chunk: Buffer): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#bytesMax) return false;
    if (length > this.#block.byteLength) this.#block.resize(Math.min(this.#bytesMax, Math.max(length, this.#block.byteLength + stepBytes)));
    this.#view.set(chunk, this.#length);
    this.#length = length;
    return true;
  }

  free(): void {
    if (this.#block.resizable) closedPort.postMessage(null, [this.#block]);
  }
}

/** A buffer transferred to a port whose other end is closed is freed at once. (From Node 22 on, `ArrayBuffer.transfer` does it in one step.) */
const closedPort = ((): MessageChannel['port1'] => {
  const { port1, port2 } = new MessageChannel();
  port1.unref();
  port2.close();
  return port1;
})();
