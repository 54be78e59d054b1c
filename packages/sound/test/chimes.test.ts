import assert from 'node:assert/strict';
import { chimeNames, chimes, soundDurationMs, synthesize } from '../src/index.js';
import { rms, samplesOf } from './samples.js';

const rate = 16_000;

describe('chimes', () => {
  it('has a score for exactly the chimes of the interface', () => {
    assert.equal(chimeNames.length, 15);
    assert.deepEqual(Object.keys(chimes), [...chimeNames]);
  });

  for (const chime of chimeNames) {
    it(`renders ${chime} short, loud enough, audible at once, and without clicks at either end`, () => {
      const samples = samplesOf(synthesize({ chime }, rate));
      assert.equal(samples.length, soundDurationMs({ chime }) * (rate / 1000));
      assert.ok(samples.length < 6 * rate);
      const peak = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      assert.ok(peak > 0.4 && peak <= 0.86, `peak ${peak}`);
      assert.ok(rms(samples) > 0.1, `rms ${rms(samples)}`);
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

  it('renders the same bytes each time, including noise', () => {
    for (const chime of chimeNames) assert.ok(synthesize({ chime }, rate).equals(synthesize({ chime }, rate)));
  });

  it('rejects the names toString and the empty name', () => {
    for (const chime of ['toString', '__proto__', '', 'HELLO']) assert.throws(() => synthesize({ chime }, rate), RangeError);
  });
});
