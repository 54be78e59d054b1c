import assert from 'node:assert/strict';
import { burst, motions, type Motion } from '../src/index.js';

/** In g, for each sample. */
function deviations(motion: Motion): number[] {
  return burst(motion).samples.map(([x, y, z]) => Math.abs(Math.hypot(x, y, z) - 1));
}
function share(values: number[], over: number): number {
  return values.filter((value) => value > over).length / values.length;
}

describe('motion bursts', () => {
  it('starts each burst at rest, with gravity along z', () => {
    for (const motion of motions) {
      const [first] = burst(motion).samples;
      assert.ok(first && Math.abs(first[2] - 1) < 0.05 && Math.abs(first[0]) < 0.05 && Math.abs(first[1]) < 0.05, motion);
    }
  });

  it('exceeds gravity clearly for most of a shake, and in no other motion', () => {
    assert.ok(share(deviations('shake'), 0.3) > 0.5);
    for (const motion of ['lift', 'knock', 'bump', 'tilt'] as const) assert.ok(share(deviations(motion), 0.3) < 0.3, motion);
  });

  it('ends tilted and unsteady after a lift, and still after other motions', () => {
    const tail = (motion: Motion) => burst(motion).samples.slice(-15);
    const lean = (motion: Motion) => tail(motion).reduce((sum, [x]) => sum + x, 0) / 15;
    assert.ok(lean('lift') > 0.15);
    for (const motion of ['knock', 'bump', 'tilt'] as const) assert.ok(Math.abs(lean(motion)) < 0.1, motion);
  });

  it('keeps the magnitude of gravity in a slow tilt', () => {
    assert.ok(Math.max(...deviations('tilt')) < 0.05);
  });

  it('fits each burst into a text frame', () => {
    for (const motion of motions) assert.ok(JSON.stringify(burst(motion)).length < 8_000, motion);
  });
});
