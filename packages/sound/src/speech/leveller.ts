/**
 * Brings a stream of speech near the loudness of all sounds: -12 LUFS at its loudest 400 ms, with a true peak of at most -1 dBTP. What follows is not
 * known yet, so the gain is that of the loudest part so far; it starts from the first 150 ms of speech, and only falls.
 */
import { limiterGains } from '../master/limiter.js';
import { lufsOf, Weighting } from '../master/loudness.js';
import { ceiling, targetLufs } from '../master/master.js';
import { TruePeaks } from '../master/true-peak.js';

const binsPerSecond = 100;
const windowBins = 40;
/** Speech from which the first gain is measured. */
const primeBins = 15;
/** -50 dBFS: what is quieter before the first word is silence. */
const silence = 10 ** (-50 / 20);
/** 24 dB: an engine that is quieter stays quieter. */
const gainMax = 10 ** (24 / 20);
/** Time constant with which the gain falls, ms. */
const fallMs = 40;
/** Least and most speech that passes the limiter at once, ms. */
const blockMs = 60;
const sliceMs = 250;
/** The limiter starts anew for each block; after this much it no longer shows, ms. */
const contextMs = 500;
/** More than the limiter looks ahead, ms. */
const heldBackMs = 20;

export class Leveller {
  readonly #rate: number;
  readonly #weighting: Weighting;
  readonly #binSamples: number;
  #input = new Float32Array(0);
  /** Bins before the first gain is known. */
  #unprimed: Float32Array[] = [];
  /** Mean squares of the last bins, K-weighted, since the speech began. */
  #energies: number[] = [];
  #loudest = 0;
  #gain = 0;
  /** With gain, not limited: context that was returned, then the rest. */
  #levelled = new Float32Array(0);
  #returned = 0;

  constructor(rate: number) {
    this.#rate = rate;
    this.#weighting = new Weighting(rate);
    this.#binSamples = Math.round(rate / binsPerSecond);
  }

  push(samples: Float32Array): Float32Array {
    const slice = this.#samples(sliceMs);
    let level: Float32Array = new Float32Array(0);
    for (let at = 0; at < samples.length; at += slice) level = joined(level, this.#push(samples.subarray(at, at + slice)));
    return level;
  }

  #push(samples: Float32Array): Float32Array {
    this.#input = joined(this.#input, samples);
    const whole = this.#input.length - (this.#input.length % this.#binSamples);
    for (let at = 0; at < whole; at += this.#binSamples) this.#level(this.#input.subarray(at, at + this.#binSamples));
    this.#input = this.#input.slice(whole);
    const waiting = this.#levelled.length - this.#returned;
    return waiting < this.#samples(blockMs + heldBackMs) ? new Float32Array(0) : this.#limited(this.#samples(heldBackMs));
  }

  flush(): Float32Array {
    this.#level(this.#input);
    this.#input = new Float32Array(0);
    this.#prime();
    return this.#limited(0);
  }

  #level(bin: Float32Array): void {
    let energy = 0;
    let largest = 0;
    for (const sample of bin) {
      energy += this.#weighting.next(sample) ** 2;
      largest = Math.max(largest, Math.abs(sample));
    }
    if (bin.length === 0) return;
    if (this.#energies.length === 0 && largest < silence) return this.#append(bin, 1, 1);
    this.#energies.push(energy / bin.length);
    if (this.#energies.length > windowBins) this.#energies.shift();
    if (this.#gain > 0) return this.#follow(bin);
    this.#unprimed.push(bin.slice());
    if (this.#energies.length >= primeBins) this.#prime();
  }

  #prime(): void {
    if (this.#gain > 0 || this.#energies.length === 0) return;
    this.#gain = this.#wantedGain();
    for (const bin of this.#unprimed) this.#append(bin, this.#gain, this.#gain);
    this.#unprimed = [];
  }

  #follow(bin: Float32Array): void {
    const wanted = this.#wantedGain();
    const before = this.#gain;
    this.#gain += (wanted - before) * (1 - Math.exp(-1000 / binsPerSecond / fallMs));
    this.#append(bin, before, this.#gain);
  }

  #wantedGain(): number {
    const mean = this.#energies.reduce((sum, energy) => sum + energy, 0) / this.#energies.length;
    this.#loudest = Math.max(this.#loudest, mean);
    return Math.min(gainMax, 10 ** ((targetLufs - lufsOf(this.#loudest)) / 20));
  }

  #append(bin: Float32Array, from: number, to: number): void {
    this.#levelled = joined(
      this.#levelled,
      bin.map((sample, at) => sample * (from + ((to - from) * at) / bin.length)),
    );
  }

  #limited(heldBack: number): Float32Array {
    const end = this.#levelled.length - heldBack;
    const gains = limiterGains(new TruePeaks(this.#levelled).above(ceiling), ceiling, this.#rate);
    const limited = this.#levelled.map((sample, at) => sample * gains[at]!).slice(this.#returned, end);
    const context = Math.max(0, end - this.#samples(contextMs));
    this.#levelled = this.#levelled.slice(context);
    this.#returned = end - context;
    return limited;
  }

  #samples(ms: number): number {
    return Math.round((ms * this.#rate) / 1000);
  }
}

function joined(first: Float32Array, second: Float32Array): Float32Array<ArrayBuffer> {
  const both = new Float32Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
