/** Resamples the engine's output and evens its loudness as it arrives. Longer speech is appended to the take, which robots play meanwhile. */
import { ApiError, limits, type SpeechJob } from '@perch/schema';
import { Leveller, Resampler, toPcm } from '@perch/sound';
import type { MadeMedia, SoundTake } from '@perch/store';
import type { SpeechEngine } from './engine.js';
import { PcmReader } from './pcm-reader.js';

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
