import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chimeNames, chimes, soundDurationMs, synthesize } from '../src/index.js';
import { distance, impressionOf } from './distance.js';
import { samplesOf } from './samples.js';

const rate = 16_000;
const wavHeaderBytes = 44;

describe('chimes', () => {
  it('has a score for exactly the chimes of the interface', () => {
    assert.equal(chimeNames.length, 15);
    assert.deepEqual(Object.keys(chimes), [...chimeNames]);
  });

  for (const chime of chimeNames) {
    it(`renders ${chime} short, audible at once, and without clicks at either end`, () => {
      const samples = samplesOf(synthesize({ chime }, rate));
      assert.equal(samples.length, soundDurationMs({ chime }) * (rate / 1000));
      assert.ok(samples.length < 6 * rate);
      assert.ok(
        samples.subarray(0, rate / 10).some((value) => Math.abs(value) > 0.01),
        'silent in its first 100 ms',
      );
      assert.ok(Math.abs(samples[0]!) < 0.01 && Math.abs(samples.at(-1)!) < 0.01);
      const offset = samples.reduce((sum, value) => sum + value, 0) / samples.length;
      assert.ok(Math.abs(offset) < 0.002, `offset ${offset}`);
    });
  }

  it('has different scores for all chimes', () => {
    assert.equal(new Set(chimeNames.map((chime) => synthesize({ chime }, rate).toString('latin1'))).size, chimeNames.length);
  });

  it('keeps all chimes apart, and ask, yes and hello from each other at least as far as the median pair', () => {
    const impressions = chimeNames.map((chime) => impressionOf(samplesOf(synthesize({ chime }, rate)), rate));
    const pairs = chimeNames.flatMap((a, i) =>
      chimeNames.slice(i + 1).map((b, j) => ({ pair: `${a} ${b}`, apart: distance(impressions[i]!, impressions[i + 1 + j]!) })),
    );
    const sorted = pairs.map(({ apart }) => apart).sort((a, b) => a - b);
    assert.ok(sorted[0]! > 0.2, `nearest ${sorted[0]}`);
    const median = sorted[(sorted.length - 1) / 2]!;
    for (const { pair, apart } of pairs) {
      if (['ask hello', 'ask yes', 'hello yes'].includes(pair)) assert.ok(apart >= median, `${pair}: ${apart}, median ${median}`);
    }
  });

  it('measures no distance between a sound and itself, whatever its key, and a large one to a silent half or a reversed melody', () => {
    const of = (notes: string): ReturnType<typeof impressionOf> => impressionOf(samplesOf(synthesize({ notes }, rate)), rate);
    const rising = of('C5:200 E5:200 G5:200 C6:200');
    assert.equal(distance(rising, rising), 0);
    assert.ok(distance(rising, of('D5:200 F#5:200 A5:200 D6:200')) < 0.05);
    assert.ok(distance(rising, of('C6:200 G5:200 E5:200 C5:200')) > 0.2);
    assert.ok(distance(rising, of('C5:100 E5:100 G5:100 C6:100')) > 0.2);
  });

  it('renders the sounds that docs/sounds contains; npm run sounds writes them', () => {
    const files = new URL('../../../docs/sounds/', import.meta.url);
    for (const chime of chimeNames) {
      const written = samplesOf(readFileSync(new URL(`${chime}.wav`, files)).subarray(wavHeaderBytes));
      const samples = samplesOf(synthesize({ chime }, rate));
      assert.equal(samples.length, written.length, chime);
      // Two steps of 16 bits, for a processor that rounds otherwise.
      assert.ok(
        samples.every((value, at) => Math.abs(value - written[at]!) <= 2 / 32_768),
        chime,
      );
    }
  });

  it('renders the same bytes each time, including noise', () => {
    for (const chime of chimeNames) assert.ok(synthesize({ chime }, rate).equals(synthesize({ chime }, rate)));
  });

  it('rejects the names toString and the empty name', () => {
    for (const chime of ['toString', '__proto__', '', 'HELLO']) assert.throws(() => synthesize({ chime }, rate), RangeError);
  });
});
