import assert from 'node:assert/strict';
import { burst, motions, type Motion } from '../src/index.js';

/** How far from standing still each sample is, in g. */
function deviations(motion: Motion): number[] {
  return burst(motion).samples.map(([x, y, z]) => Math.abs(Math.hypot(x, y, z) - 1));
}
function share(values: number[], over: number): number {
  return values.filter((value) => value > over).length / values.length;
}

describe('motion bursts', () => {
  it('begin at rest, with gravity along z', () => {
    for (const motion of motions) {
      const [first] = burst(motion).samples;
      assert.ok(first && Math.abs(first[2] - 1) < 0.05 && Math.abs(first[0]) < 0.05 && Math.abs(first[1]) < 0.05, motion);
    }
  });

  it('shake for most of their time well above gravity, and only when shaken', () => {
    assert.ok(share(deviations('shake'), 0.3) > 0.5);
    for (const motion of ['lift', 'knock', 'bump', 'tilt'] as const) assert.ok(share(deviations(motion), 0.3) < 0.3, motion);
  });

  it('end leaning and unsteady after a lift, and still after what is harmless', () => {
    const tail = (motion: Motion) => burst(motion).samples.slice(-15);
    const lean = (motion: Motion) => tail(motion).reduce((sum, [x]) => sum + x, 0) / 15;
    assert.ok(lean('lift') > 0.15);
    for (const motion of ['knock', 'bump', 'tilt'] as const) assert.ok(Math.abs(lean(motion)) < 0.1, motion);
  });

  it('never leave gravity behind in a slow tilt', () => {
    assert.ok(Math.max(...deviations('tilt')) < 0.05);
  });

  it('fit into a text frame', () => {
    for (const motion of motions) assert.ok(JSON.stringify(burst(motion)).length < 8_000, motion);
  });
});
