import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { soundDurationMs, synthesize, type SoundSpec } from '../src/index.js';
import { amplitudeAt, cents, rms, samplesOf, strongestNear } from './samples.js';

const rate = 16_000;
const names = ['C', 'C#', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'Ab', 'A', 'Bb', 'B'];

function render(spec: SoundSpec, at = rate): Float64Array {
  return samplesOf(synthesize(spec, at));
}

function peakOf(samples: Float64Array): number {
  let most = 0;
  for (let at = 0; at < samples.length; at += 1) most = Math.max(most, Math.abs(samples[at]!));
  return most;
}

function steepest(samples: Float64Array, from: number, to: number): number {
  let most = 0;
  for (let at = from + 1; at < to; at += 1) most = Math.max(most, Math.abs(samples[at]! - samples[at - 1]!));
  return most;
}

describe('a synthesized sound', () => {
  for (const bell of [false, true]) {
    for (const at of [16_000, 24_000]) {
      it(`renders A4 at 440 Hz within half a cent, ${bell ? 'struck' : 'played'}, at ${at} Hz`, () => {
        const samples = render({ notes: 'A4:1000', bell }, at).subarray(at * 0.02, at * 0.9);
        const heard = strongestNear(samples, 440, at);
        assert.ok(Math.abs(cents(heard, 440)) < 0.5, `${heard} Hz`);
        assert.ok(amplitudeAt(samples, 440, at) > 2 * amplitudeAt(samples, 880, at));
      });
    }
  }

  it('renders every note of eight octaves within 2 cents', () => {
    for (let octave = 1; octave <= 7; octave += 1) {
      for (const [step, name] of names.entries()) {
        const hertz = 440 * 2 ** ((12 * (octave + 1) + step - 69) / 12);
        const heard = strongestNear(render({ notes: `${name}${octave}:400` }), hertz, rate);
        assert.ok(Math.abs(cents(heard, hertz)) < 2, `${name}${octave}: ${heard} Hz for ${hertz} Hz`);
      }
    }
  });

  it('contains no aliased frequencies: other than the harmonics, everything is below -60 dB', () => {
    for (const [note, hertz] of [
      ['G8', 6271.927],
      ['A7', 3520],
      ['E6', 1318.51],
      ['B5', 987.767],
    ] as const) {
      const samples = render({ notes: `${note}:1000` }).subarray(rate * 0.1, rate * 0.9);
      const loudest = amplitudeAt(samples, hertz, rate);
      for (let probe = 50; probe < 8_000; probe += 25) {
        if (Math.abs(probe / hertz - Math.round(probe / hertz)) * hertz < 20) continue;
        assert.ok(amplitudeAt(samples, probe, rate) < loudest / 1000, `${note}: ${probe} Hz`);
      }
    }
  });

  it('renders a bell without partials that are too high for the rate', () => {
    const samples = render({ notes: 'C7:500', bell: true }).subarray(0, rate * 0.2);
    const folded = rate - 2093.005 * 5.404;
    assert.ok(amplitudeAt(samples, folded, rate) < amplitudeAt(samples, 2093.005, rate) / 1000);
  });

  it('renders notes that are too high for the rate an octave lower: B8 and B#8 at 16 kHz', () => {
    for (const [note, hertz] of [
      ['B8', 3951.066],
      ['B#8', 4186.009],
    ] as const) {
      const samples = render({ notes: `${note}:500` });
      assert.ok(Math.abs(cents(strongestNear(samples, hertz, rate), hertz)) < 1);
    }
    assert.ok(amplitudeAt(render({ notes: 'B8:500' }, 24_000), 7902.13, 24_000) > 0.2);
  });

  it('renders a bell with decaying inharmonic partials, and a tone with few harmonics that lasts', () => {
    const bell = render({ notes: 'A4:1000', bell: true });
    const tone = render({ notes: 'A4:1000' });
    const start = (samples: Float64Array): Float64Array => samples.subarray(0, rate * 0.3);
    const share = (samples: Float64Array, ratio: number): number =>
      amplitudeAt(start(samples), 440 * ratio, rate) / amplitudeAt(start(samples), 440, rate);
    assert.ok(share(bell, 2.756) > 0.05 && share(bell, 3) < 0.005, 'bell');
    assert.ok(share(tone, 3) > 0.03 && share(tone, 2.756) < 0.005, 'tone');
    for (const harmonic of [5, 6, 7, 8, 9, 10]) assert.ok(share(tone, harmonic) < 0.002, `harmonic ${harmonic}`);
    const fall = (samples: Float64Array): number => rms(samples.subarray(rate * 0.8, rate * 0.9)) / rms(samples.subarray(rate * 0.05, rate * 0.15));
    assert.ok(fall(bell) < 0.1, `bell ${fall(bell)}`);
    assert.ok(fall(tone) > 0.25 && fall(tone) < 0.6, `tone ${fall(tone)}`);
  });

  it('lets a bell ring over the next note, but not a tone', () => {
    const second = (bell: boolean): Float64Array => render({ notes: 'A4:250 C6:250', bell }).subarray(rate * 0.26, rate * 0.49);
    assert.ok(amplitudeAt(second(true), 440, rate) > 0.05);
    assert.ok(amplitudeAt(second(false), 440, rate) < 0.001);
  });

  it('renders tones without clicks: silent between notes, and nowhere steeper than within a note', () => {
    for (const notes of ['C4:200 G5:200 C4:200 E3:200', 'A4:100 A4:100 -:100 A4:100 A4:100']) {
      const samples = render({ notes });
      const lengths = notes.split(' ').map((entry) => Number(entry.split(':')[1]));
      let edge = 0;
      for (const ms of lengths) {
        const next = edge + (ms * rate) / 1000;
        const middle = steepest(samples, edge + 160, next - 480);
        assert.ok(Math.abs(samples[edge]!) < 0.002 && Math.abs(samples[next - 1]!) < 0.002);
        assert.ok(steepest(samples, edge, edge + 64) <= Math.max(0.001, middle) && steepest(samples, next - 64, next) <= Math.max(0.001, middle));
        edge = next;
      }
    }
  });

  it('renders bells without clicks: silent at both ends, also when damped', () => {
    const single = render({ notes: 'C5:100', bell: true });
    assert.ok(Math.abs(single[0]!) < 0.001 && Math.abs(single[1]!) < 0.02 && Math.abs(single.at(-1)!) < 0.001);
    // Low bells, each damped by the eighth after it. Their highest partial changes the slope by at most this per sample; a click would change it more.
    const damped = render({ notes: 'C2:40 '.repeat(40), bell: true });
    let sharpest = 0;
    for (let at = 2; at < damped.length; at += 1) sharpest = Math.max(sharpest, Math.abs(damped[at]! - 2 * damped[at - 1]! + damped[at - 2]!));
    assert.ok(sharpest < 0.03, `${sharpest}`);
  });

  it('has exactly the stated length, to the sample, at any rate, and never clips', () => {
    const entry = fc.tuple(fc.option(fc.tuple(fc.constantFrom(...names), fc.integer({ min: 0, max: 8 }))), fc.integer({ min: 1, max: 400 }));
    fc.assert(
      fc.property(
        fc.array(entry, { minLength: 1, maxLength: 20 }),
        fc.boolean(),
        fc.constantFrom(8_000, 11_025, 16_000, 22_050, 24_000, 48_000),
        (entries, bell, at) => {
          const spec = { notes: entries.map(([pitch, ms]) => `${pitch === null ? '-' : pitch.join('')}:${ms}`).join(' '), bell };
          const samples = render(spec, at);
          const totalMs = entries.reduce((sum, [, ms]) => sum + ms, 0);
          const statedMs = soundDurationMs(spec);
          assert.equal(samples.length, Math.round((statedMs * at) / 1000));
          assert.ok(bell ? statedMs >= totalMs && statedMs <= totalMs + 1_800 : statedMs === totalMs);
          const peak = peakOf(samples);
          assert.ok(peak <= 0.8913);
          if (entries.some(([pitch]) => pitch !== null)) assert.ok(peak > 0);
          else assert.equal(peak, 0);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('renders 30,000 notes of 1 ms, struck or played, in at most 2 s of CPU time', () => {
    const fast = Array.from({ length: 30_000 }, (_, at) => `${names[at % 12]}${at % 9}:1`).join(' ');
    const slow = Array.from({ length: 30 }, (_, at) => `${names[at % 12]}${at % 9}:1000`).join(' ');
    for (const notes of [fast, slow]) {
      for (const bell of [false, true]) {
        const before = process.cpuUsage();
        const samples = render({ notes, bell });
        const { user, system } = process.cpuUsage(before);
        assert.ok((user + system) / 1000 < 2000, `${(user + system) / 1000} ms`);
        assert.ok(samples.length >= 30 * rate && samples.length <= 31.8 * rate);
        assert.ok(peakOf(samples) <= 0.8913);
      }
    }
  });

  it('rejects an invalid rate', () => {
    for (const at of [0, -1, 7_999, 48_001, 16_000.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => synthesize({ chime: 'yes' }, at), RangeError);
    }
  });

  it('rejects an invalid melody, as does its duration', () => {
    assert.throws(() => synthesize({ notes: 'X' }, rate), /^NotesError: notes\[0\]/);
    assert.throws(() => soundDurationMs({ notes: 'X' }), /^NotesError: notes\[0\]/);
  });
});
