import assert from 'node:assert/strict';
import { chimeNames, momentaryLoudness, synthesize, truePeakOf, type SoundSpec } from '../src/index.js';
import { kWeighting } from '../src/master/loudness.js';
import { momentaryMax, truePeak } from './meter.js';
import { samplesOf } from './samples.js';

const targetLufs = -12;

function measured(spec: SoundSpec, rate: number): { lufs: number; dbtp: number } {
  const samples = samplesOf(synthesize(spec, rate));
  return { lufs: momentaryMax(samples, rate), dbtp: truePeak(samples) };
}

function sine(hertz: number, amplitude: number, seconds: number, rate: number): Float64Array {
  return Float64Array.from({ length: seconds * rate }, (_, at) => amplitude * Math.sin((2 * Math.PI * hertz * at) / rate));
}

describe('loudness', () => {
  it('measures a full-scale sine of 997 Hz as -3.01 LUFS, as BS.1770 states, with both meters and at every rate', () => {
    for (const rate of [16_000, 24_000, 48_000]) {
      const samples = sine(997, 1, 1, rate);
      assert.ok(Math.abs(momentaryMax(samples, rate) + 3.01) < 0.02, `test ${momentaryMax(samples, rate)}`);
      assert.ok(Math.abs(momentaryLoudness(samples, rate) + 3.01) < 0.05, `product ${momentaryLoudness(samples, rate)}`);
    }
  });

  it('uses the coefficients that BS.1770 prints for 48 kHz', () => {
    const [shelf, highPass] = kWeighting(48_000);
    for (const [actual, printed] of [
      [shelf.b, [1.53512485958697, -2.69169618940638, 1.19839281085285]],
      [shelf.a, [-1.69065929318241, 0.73248077421585]],
      [highPass.a, [-1.99004745483398, 0.99007225036621]],
    ] as const) {
      for (const [index, value] of printed.entries()) assert.ok(Math.abs(actual[index]! - value) < 1e-8, `${actual[index]} for ${value}`);
    }
  });

  it('finds the peak between two samples: a quarter of the rate, sampled 45 degrees off its peaks', () => {
    const samples = Float32Array.from({ length: 400 }, (_, at) => 0.5 * Math.sin((Math.PI * at) / 400) * Math.sin((Math.PI * at) / 2 + Math.PI / 4));
    assert.ok(Math.abs(truePeakOf(samples) - 20 * Math.log10(0.5)) < 0.1, `${truePeakOf(samples)}`);
    assert.ok(Math.abs(truePeak(Float64Array.from(samples)) - 20 * Math.log10(0.5)) < 0.2);
  });

  for (const chime of chimeNames) {
    it(`renders ${chime} at -12 LUFS within half a LU and a true peak of at most -1 dBTP, at 16 and 24 kHz`, () => {
      for (const rate of [16_000, 24_000]) {
        const { lufs, dbtp } = measured({ chime }, rate);
        assert.ok(Math.abs(lufs - targetLufs) <= 0.5, `${lufs} LUFS at ${rate} Hz`);
        assert.ok(dbtp <= -1, `${dbtp} dBTP at ${rate} Hz`);
      }
    });
  }

  it('renders a melody with bells as loud as without, within half a LU, in every octave and from notes of 150 ms on', () => {
    for (const notes of [
      'C4:150 E4:150 G4:150 C5:300',
      'A2:400',
      'C3:300 G3:300',
      'A4:1000',
      'E6:150 -:600 E6:150',
      'C7:200 E7:200',
      'G8:250',
      'C5:100 '.repeat(30),
    ]) {
      const played = measured({ notes }, 16_000);
      const struck = measured({ notes, bell: true }, 16_000);
      assert.ok(Math.abs(played.lufs - struck.lufs) <= 0.5, `${notes}: ${played.lufs} and ${struck.lufs} LUFS`);
      assert.ok(Math.abs(played.lufs - targetLufs) <= 0.5, `${notes}: ${played.lufs} LUFS`);
      assert.ok(played.dbtp <= -1 && struck.dbtp <= -1, `${notes}: ${played.dbtp} and ${struck.dbtp} dBTP`);
    }
  });

  it('leaves what is too short for -12 LUFS at the peak of -1 dBTP instead of distorting it', () => {
    const { lufs, dbtp } = measured({ notes: 'A4:20' }, 16_000);
    assert.ok(lufs < -15 && dbtp <= -1 && dbtp > -1.5, `${lufs} LUFS, ${dbtp} dBTP`);
  });

  it('keeps the true peak at most -1 dBTP where notes near half the rate and many bells meet', () => {
    for (const rate of [8_000, 11_025, 16_000, 22_050, 24_000, 48_000]) {
      for (const bell of [false, true]) {
        const dbtp = truePeak(samplesOf(synthesize({ notes: 'B8:60 C2:30 A7:30 F#8:200 C1:90 '.repeat(4), bell }, rate)));
        assert.ok(dbtp <= -1, `${dbtp} dBTP at ${rate} Hz, bell ${bell}`);
      }
    }
  });
});
