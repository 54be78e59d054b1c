/** Reads a stream of a WAV file with 16 bits a sample, or of samples without a header. */
import { fromPcm } from '@perch/sound';

const headerMax = 4096;
const pcmFormats: ReadonlySet<number> = new Set([1, 0xfffe]);
/** Sizes from here on, and 0, come from programs that write the header before they know the size. */
const unknownBytes = 0x7fff_0000;
const nothing = new Float32Array(0);

export class PcmReader {
  /** Hz; final once the first samples were returned. */
  rate: number;
  #channels = 1;
  #head: Buffer | null = Buffer.alloc(0);
  /** Of samples; what follows them in a WAV file is no sound. */
  #bytesLeft = Infinity;
  /** Bytes of a sample that is not complete. */
  #rest: Buffer = Buffer.alloc(0);

  /** @param rate of samples without a header */
  constructor(rate: number) {
    this.rate = rate;
  }

  /** @throws an Error for a WAV file of another kind */
  push(chunk: Uint8Array): Float32Array {
    if (this.#head === null) return this.#samples(chunk);
    this.#head = Buffer.concat([this.#head, chunk]);
    if (this.#head.length < 12) return nothing;
    const from = this.#head.toString('latin1', 0, 4) === 'RIFF' ? this.#dataStart(this.#head) : 0;
    if (from === null) return nothing;
    const samples = this.#head.subarray(from);
    this.#head = null;
    return this.#samples(samples);
  }

  #samples(chunk: Uint8Array): Float32Array {
    const own = chunk.subarray(0, Math.min(chunk.length, this.#bytesLeft));
    this.#bytesLeft -= own.length;
    const bytes = Buffer.concat([this.#rest, own]);
    const whole = bytes.length - (bytes.length % (2 * this.#channels));
    this.#rest = bytes.subarray(whole);
    return fromPcm(bytes.subarray(0, whole), this.#channels);
  }

  /** Returns where the samples begin; null while the header is not complete. */
  #dataStart(head: Buffer): number | null {
    let at = 12;
    while (at + 8 <= head.length) {
      const id = head.toString('latin1', at, at + 4);
      const bytes = head.readUInt32LE(at + 4);
      if (id === 'data') {
        if (bytes > 0 && bytes < unknownBytes) this.#bytesLeft = bytes;
        return at + 8;
      }
      if (id === 'fmt ' && at + 24 <= head.length) this.#readFormat(head, at + 8);
      at += 8 + bytes + (bytes % 2);
    }
    if (head.length > headerMax) throw new Error('the WAV file of the speech engine has no samples');
    return null;
  }

  #readFormat(head: Buffer, at: number): void {
    const [format, channels, bits] = [head.readUInt16LE(at), head.readUInt16LE(at + 2), head.readUInt16LE(at + 14)];
    if (!pcmFormats.has(format) || bits !== 16 || channels < 1 || channels > 8) {
      throw new Error(`the WAV file of the speech engine has format ${format}, ${bits} bits and ${channels} channels; 16 bit PCM is supported`);
    }
    this.#channels = channels;
    this.rate = head.readUInt32LE(at + 4);
  }
}
