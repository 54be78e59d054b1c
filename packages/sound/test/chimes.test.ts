import assert from 'node:assert/strict';
import { chimeNames, chimes, soundDurationMs, synthesize } from '../src/index.js';
import { rms, samplesOf } from './samples.js';

const rate = 16_000;

describe('chimes', () => {
  it('are those of the interface, each with a score, and no other', () => {
    assert.equal(chimeNames.length, 15);
    assert.deepEqual(Object.keys(chimes), [...chimeNames]);
  });

  for (const chime of chimeNames) {
    it(`${chime} is heard at once, short, loud enough and without a click at either end`, () => {
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

  it('are all different', () => {
    assert.equal(new Set(chimeNames.map((chime) => synthesize({ chime }, rate).toString('latin1'))).size, chimeNames.length);
  });

  it('are the same bytes at every rendering, noise included', () => {
    for (const chime of chimeNames) assert.ok(synthesize({ chime }, rate).equals(synthesize({ chime }, rate)));
  });

  it('none is called toString or like nothing', () => {
    for (const chime of ['toString', '__proto__', '', 'HELLO']) assert.throws(() => synthesize({ chime }, rate), RangeError);
  });
});
