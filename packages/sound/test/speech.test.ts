import assert from 'node:assert/strict';
import { fromPcm, Leveller, Resampler, toPcm } from '../src/index.js';
import { momentaryMax, truePeak } from './meter.js';
import { amplitudeAt } from './samples.js';

function sine(hertz: number, amplitude: number, seconds: number, rate: number): Float32Array {
  return Float32Array.from({ length: Math.round(seconds * rate) }, (_, at) => amplitude * Math.sin((2 * Math.PI * hertz * at) / rate));
}

/** Passes samples through in chunks of uneven length. */
function through(stage: { push(samples: Float32Array): Float32Array; flush(): Float32Array }, samples: Float32Array): Float64Array {
  const parts: Float32Array[] = [];
  for (let at = 0, length = 1; at < samples.length; at += length, length = ((length * 7) % 4001) + 1)
    parts.push(stage.push(samples.subarray(at, at + length)));
  parts.push(stage.flush());
  return Float64Array.from(parts.flatMap((part) => [...part]));
}

/** Syllables of several partials that rise and fall, as loud as `level` says for each second. */
function babble(levels: readonly number[], rate: number): Float32Array {
  return Float32Array.from({ length: levels.length * rate }, (_, at) => {
    const second = at / rate;
    const syllable = Math.max(0, Math.sin(2 * Math.PI * 4 * second)) ** 0.7;
    const voice = [1, 2, 3, 5, 8, 13].reduce((sum, partial) => sum + Math.sin(2 * Math.PI * 140 * partial * second + partial) / partial, 0);
    return (levels[Math.floor(second)]! * syllable * voice) / 2;
  });
}

describe('Resampler', () => {
  for (const [from, to] of [
    [22_050, 16_000],
    [24_000, 16_000],
    [48_000, 16_000],
    [16_000, 24_000],
    [22_050, 24_000],
    [44_100, 8_000],
  ] as const) {
    it(`passes what both rates can represent unchanged from ${from} to ${to} Hz, as long as before`, () => {
      for (const hertz of [100, 1000, 0.4 * Math.min(from, to)]) {
        const samples = through(new Resampler(from, to), sine(hertz, 0.5, 1, from));
        assert.ok(Math.abs(samples.length - to) <= 1, `${samples.length} samples`);
        const middle = samples.subarray(to * 0.1, to * 0.9);
        assert.ok(Math.abs(20 * Math.log10(amplitudeAt(middle, hertz, to) / 0.5)) < 0.1, `${hertz} Hz: ${amplitudeAt(middle, hertz, to)}`);
      }
    });
  }

  it('attenuates by 60 dB what would fold into the speech: 9 kHz and more at 16 kHz', () => {
    for (const hertz of [9000, 10_000, 10_900]) {
      const samples = through(new Resampler(22_050, 16_000), sine(hertz, 0.5, 1, 22_050)).subarray(1600, 14_400);
      assert.ok(amplitudeAt(samples, 16_000 - hertz, 16_000) < 0.0005, `${hertz} Hz`);
    }
  });

  it('gives the same samples however the input is divided', () => {
    const samples = sine(440, 0.5, 0.3, 22_050);
    const whole = new Resampler(22_050, 16_000);
    const once = [...whole.push(samples), ...whole.flush()];
    const divided = through(new Resampler(22_050, 16_000), samples);
    assert.equal(divided.length, once.length);
    for (const [at, value] of once.entries()) assert.ok(Math.abs(divided[at]! - value) < 1e-6);
  });

  it('returns samples that have the wanted rate already unchanged', () => {
    const samples = sine(440, 0.5, 0.1, 16_000);
    assert.deepEqual(through(new Resampler(16_000, 16_000), samples), Float64Array.from(samples));
  });
});

describe('Leveller', () => {
  const rate = 16_000;
  const levels: [string, number[]][] = [
    ['quiet', [0.15, 0.15, 0.15]],
    ['loud', [0.9, 0.9, 0.9]],
    ['growing', [0.1, 0.3, 0.6, 0.6]],
    ['falling', [0.6, 0.3, 0.1]],
  ];
  for (const [name, seconds] of levels) {
    it(`brings ${name} speech to -12 LUFS within 2 LU, with a true peak of at most -1 dBTP`, () => {
      const level = through(new Leveller(rate), babble(seconds, rate));
      const lufs = momentaryMax(level, rate);
      assert.ok(Math.abs(lufs + 12) < 2, `${lufs} LUFS`);
      assert.ok(truePeak(level) <= -1, `${truePeak(level)} dBTP`);
    });
  }

  it('returns as many samples as it gets, in place, whatever the size of the chunks', () => {
    const samples = babble([0.3, 0.3], rate);
    const level = through(new Leveller(rate), samples);
    assert.equal(level.length, samples.length);
    // The gain is positive, so that the signs stay.
    let opposite = 0;
    for (const [at, sample] of samples.entries()) if (sample * level[at]! < -1e-9) opposite += 1;
    assert.equal(opposite, 0);
  });

  it('holds back less than a third of a second of speech', () => {
    const leveller = new Leveller(rate);
    const samples = babble([0.3], rate);
    let returned = 0;
    for (let at = 0; at < rate; at += 320) {
      returned += leveller.push(samples.subarray(at, at + 320)).length;
      assert.ok(at + 320 - returned < 0.33 * rate, `${at + 320 - returned} samples held back at ${at}`);
    }
  });

  it('keeps silence before the speech, and silence alone, silent', () => {
    const silent = new Float32Array(rate);
    assert.ok(through(new Leveller(rate), silent).every((sample) => sample === 0));
    const late = Float32Array.from([...silent, ...babble([0.5], rate)]);
    const level = through(new Leveller(rate), late);
    assert.ok(level.subarray(0, rate).every((sample) => Math.abs(sample) < 1e-6));
    assert.ok(Math.abs(momentaryMax(level, rate) + 12) < 2);
  });
});

describe('PCM', () => {
  it('PCM is the same after a conversion to samples and back, and its channels are mixed', () => {
    const samples = fromPcm(toPcm(Float32Array.from([0, 0.5, -0.5, 0.25])));
    for (const [at, value] of [0, 0.5, -0.5, 0.25].entries()) assert.ok(Math.abs(samples[at]! - value) < 1e-4);
    assert.deepEqual([...fromPcm(Buffer.from([0, 64, 0, 0, 0, 0, 0, 64, 7]), 2)], [0.25, 0.25]);
  });
});
