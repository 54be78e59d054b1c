/** Resamples the engine's output and evens its loudness as it arrives. Longer speech is appended to the take, which robots play meanwhile. */
import { ApiError, limits, type SpeechJob } from '@perch/schema';
import { Leveller, Resampler, toPcm, fromPcm } from '@perch/sound';
import type { MadeMedia, SoundTake } from '@perch/store';
import type { SpeechEngine } from './engine.js';

/** From the engine's first output until the take begins: a fast engine is done by then, and the robot gets a sound of known length. */
const beginsAfterMs = 150;
const appendEveryMs = 100;
const { engineMs, secondsMax } = limits.speak;
const rates = { min: 8000, max: 192_000 };

/** @throws {ApiError} speech_failed, bad_argument @throws the signal's reason if it aborts */
export async function speak(
  engine: SpeechEngine,
  job: SpeechJob,
  take: Pick<SoundTake, 'append'>,
  signal: AbortSignal,
  withinMs: number = engineMs,
): Promise<MadeMedia> {
  const tooLong = AbortSignal.timeout(withinMs);
  const feed = new TakeFeed(take);
  try {
    const both = AbortSignal.any([signal, tooLong, feed.failed]);
    const voice = await engine.voiceFor(job);
    for await (const pcm of spoken(engine.speak(job.text, voice, both), job.rate)) {
      both.throwIfAborted();
      feed.push(pcm);
      if (feed.bytes > secondsMax * job.rate * 2) throw new ApiError('speech_failed', `The speech is longer than ${secondsMax} s. Shorten the text.`);
    }
    both.throwIfAborted();
    const data = await feed.end();
    if (data.length === 0) throw new Error('the speech engine returned no sound');
    return { kind: 'sound', format: 'pcm_s16le', rate: job.rate, data };
  } catch (error) {
    signal.throwIfAborted();
    feed.failed.throwIfAborted();
    if (error instanceof ApiError) throw error;
    if (tooLong.aborted)
      throw new ApiError('speech_failed', `The speech engine took longer than ${withinMs / 1000} s. Try a shorter text.`, { cause: error });
    throw new ApiError('speech_failed', 'The speech engine failed. Try again, or ask the operator of this service.', { cause: error });
  } finally {
    feed.close();
  }
}

async function* spoken({ rate, output }: ReturnType<SpeechEngine['speak']>, outRate: number): AsyncGenerator<Buffer> {
  const reader = new PcmReader(rate);
  const leveller = new Leveller(outRate);
  let resampler: Resampler | null = null;
  for await (const chunk of output) {
    const samples = reader.push(chunk);
    if (samples.length === 0) continue;
    if (reader.rate < rates.min || reader.rate > rates.max) throw new Error(`the speech engine has a rate of ${reader.rate} Hz`);
    resampler ??= new Resampler(reader.rate, outRate);
    yield toPcm(leveller.push(resampler.push(samples)));
  }
  if (resampler === null) return;
  const last = leveller.push(resampler.flush());
  yield toPcm(last);
  yield toPcm(leveller.flush());
}

/** Collects the speech, and appends it to the take from a moment after its first sample on. */
class TakeFeed {
  readonly #take: Pick<SoundTake, 'append'>;
  readonly #chunks: Buffer[] = [];
  readonly #failure = new AbortController();
  #unsent: Buffer[] = [];
  #bytes = 0;
  #begun = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(take: Pick<SoundTake, 'append'>) {
    this.#take = take;
  }

  /** Aborts when the take cannot be stored. */
  get failed(): AbortSignal {
    return this.#failure.signal;
  }

  push(pcm: Buffer): void {
    if (pcm.length === 0) return;
    this.#chunks.push(pcm);
    this.#unsent.push(pcm);
    this.#bytes += pcm.length;
    this.#timer ??= setTimeout(() => this.#send(), this.#begun ? appendEveryMs : beginsAfterMs);
  }

  get bytes(): number {
    return this.#bytes;
  }

  async end(): Promise<Buffer> {
    if (this.#begun) {
      this.close();
      this.#send();
      // Behind the chunks before it.
      await this.#take.append(Buffer.alloc(0));
      this.failed.throwIfAborted();
    }
    return Buffer.concat(this.#chunks);
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #send(): void {
    this.#timer = null;
    this.#begun = true;
    const chunk = Buffer.concat(this.#unsent.splice(0));
    if (chunk.length > 0) this.#take.append(chunk).catch((error: unknown) => this.#failure.abort(error));
  }
}

const headerMax = 4096;
const pcmFormats: ReadonlySet<number> = new Set([1, 0xfffe]);
/** Sizes from here on, and 0, come from programs that write the header before they know the size. */
const unknownBytes = 0x7fff_0000;
const nothing = new Float32Array(0);

/** Reads a stream of a WAV file with 16 bits a sample, or of samples without a header. */
class PcmReader {
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
