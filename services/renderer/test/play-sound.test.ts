import assert from 'node:assert/strict';
import { ApiError, type SoundJob } from '@perch/schema';
import { soundDurationMs } from '@perch/sound';
import { playSound } from '../src/draw-picture.js';

const job = (spec: SoundJob['spec'], rate = 16_000): SoundJob => ({ kind: 'sound', account: 'a-x', hash: 'h', spec, rate });

describe('playSound', () => {
  it('makes as many samples as the duration of the sound needs, at the rate of the robot', () => {
    for (const spec of [{ chime: 'done' }, { notes: 'C4:200 -:100 F#5:300', bell: false }, { notes: 'Bb3:500', bell: true }] as const) {
      for (const rate of [16_000, 24_000]) {
        const made = playSound(job(spec, rate));
        assert.equal(made.kind, 'sound');
        assert.equal(made.kind === 'sound' && made.rate, rate);
        assert.equal(made.data.length, 2 * Math.round((soundDurationMs(spec) * rate) / 1000));
      }
    }
  });

  it('rejects a melody that cannot be played, naming the entry', () => {
    assert.throws(
      () => playSound(job({ notes: 'C4:200 H4:100', bell: false })),
      (error) => error instanceof ApiError && error.code === 'bad_argument' && /notes\[1\]/.test(error.message),
    );
  });
});
