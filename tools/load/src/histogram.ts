/** HDR histograms of durations in microseconds, exact to three digits. They are serialised as text and can be added without loss. */
import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64, type Histogram as HdrHistogram } from 'hdr-histogram-js';

/** One hour; longer durations count as one hour. */
const mostUs = 3_600_000_000;

export class Histogram {
  readonly #hdr: HdrHistogram = build({
    bitBucketSize: 32,
    autoResize: true,
    lowestDiscernibleValue: 1,
    highestTrackableValue: 1_000_000,
    numberOfSignificantValueDigits: 3,
  });

  static read(text: string): Histogram {
    const histogram = new Histogram();
    if (text !== '') histogram.#hdr.add(decodeFromCompressedBase64(text));
    return histogram;
  }

  static sum(texts: readonly string[]): Histogram {
    const sum = new Histogram();
    for (const text of texts) sum.add(Histogram.read(text));
    return sum;
  }

  get count(): number {
    return this.#hdr.totalCount;
  }

  get maxMs(): number {
    return this.count === 0 ? 0 : rounded(this.#hdr.maxValue);
  }

  record(ms: number): void {
    this.#hdr.recordValue(Math.min(mostUs, Math.max(0, Math.round(ms * 1000))));
  }

  percentileMs(percent: number): number {
    return this.count === 0 ? 0 : rounded(this.#hdr.getValueAtPercentile(percent));
  }

  add(other: Histogram): void {
    this.#hdr.add(other.#hdr);
  }

  text(): string {
    return this.count === 0 ? '' : encodeIntoCompressedBase64(this.#hdr);
  }

  clear(): void {
    this.#hdr.reset();
  }
}

function rounded(us: number): number {
  return Math.round(us / 10) / 100;
}
