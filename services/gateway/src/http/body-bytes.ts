/// <reference lib="es2024.arraybuffer" />
/**
 * The bytes of one body, in memory of their own that `free` returns to the operating system at once.
 *
 * Ordinary buffers would stay resident: until the next full garbage collection, which may be minutes away when nothing else happens, and beyond
 * it as holes in the heap of malloc. A resizable ArrayBuffer is a mapping of its own, of which only what was written to is resident.
 */
import { MessageChannel } from 'node:worker_threads';

/** Up to so many bytes a body is an ordinary buffer: a mapping would cost more than it saves. */
const ordinaryBytesMax = 64 * 1024;
/** A mapping grows by so much at a time, bytes. */
const stepBytes = 256 * 1024;

export class BodyBytes {
  readonly #bytesMax: number;
  readonly #block: ArrayBuffer;
  /** Follows the block's length. */
  readonly #view: Uint8Array;
  #length = 0;

  /** @param bytesMax the body's Content-Length, or the most it may have */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#block = bytesMax <= ordinaryBytesMax ? new ArrayBuffer(bytesMax) : new ArrayBuffer(0, { maxByteLength: bytesMax });
    this.#view = new Uint8Array(this.#block);
  }

  /** What has arrived. Valid until `free`. */
  get received(): Buffer {
    return Buffer.from(this.#block, 0, this.#length);
  }

  /** @returns false where there are more bytes than allowed; nothing is kept of the chunk */
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

/** What is transferred to a port whose other end is closed is freed at once. (`ArrayBuffer.transfer` does it in one step, from Node 22 on.) */
const closedPort = ((): MessageChannel['port1'] => {
  const { port1, port2 } = new MessageChannel();
  port1.unref();
  port2.close();
  return port1;
})();
