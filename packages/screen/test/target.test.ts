import assert from 'node:assert/strict';
import type { Target } from '@perch/schema';
import fc from 'fast-check';
import { hitTest, pixelAt, regionTargets, targetCenter } from '../src/index.js';

const coordinate = fc.double({ min: -500, max: 500, noNaN: true });
const point = fc.tuple(coordinate, coordinate);
const size = fc.double({ min: 0.01, max: 400, noNaN: true });

/** Generates a star-shaped polygon: never self-intersecting, mostly concave. */
const star = fc.tuple(point, fc.array(fc.double({ min: 5, max: 150, noNaN: true }), { minLength: 3, maxLength: 32 })).map(([[cx, cy], radii]) => ({
  middle: [cx, cy] as [number, number],
  radii,
  points: radii.map((r, i): [number, number] => [
    cx + r * Math.cos((2 * Math.PI * i) / radii.length),
    cy + r * Math.sin((2 * Math.PI * i) / radii.length),
  ]),
}));

describe('pixelAt', () => {
  it('returns the pixel under a point, which ends where the next one begins, and the nearest pixel for a point beside the screen', () => {
    assert.deepEqual(
      [0, 159.4, 159.999, 160, 319.9, 320, 321.5, -0.1].map((at) => pixelAt(at, 320)),
      [0, 159, 159, 160, 319, 319, 319, 0],
    );
  });
});

describe('hitTest', () => {
  it('hits any point of a rectangle with its left and top edge, and none outside or on the other edges', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -50, max: 300 }),
        fc.integer({ min: -50, max: 300 }),
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 300 }),
        (x, y, w, h) => {
          const targets: Target[] = [{ shape: 'rect', x, y, w, h }];
          for (const [px, py] of [
            [x, y],
            [x + w - 0.01, y],
            [x, y + h - 0.01],
            [x + w / 2, y],
          ] as const)
            assert.equal(hitTest(targets, px, py), 0);
          for (const [px, py] of [
            [x - 0.01, y],
            [x + w, y],
            [x, y - 0.01],
            [x, y + h],
          ] as const)
            assert.equal(hitTest(targets, px, py), -1);
        },
      ),
    );
  });

  it('hits exactly one of the halves and one of the quarters of the screen at each of its pixels', () => {
    const quarters: Target[] = [0, 160].flatMap((x) => [0, 120].map((y): Target => ({ shape: 'rect', x, y, w: 160, h: 120 })));
    const halves: Target[] = [0, 160].map((x) => ({ shape: 'rect', x, y: 0, w: 160, h: 240 }));
    for (let x = 0; x < 320; x++)
      for (let y = 0; y < 240; y++)
        for (const parts of [halves, quarters]) assert.equal(parts.filter((part) => hitTest([part], x, y) === 0).length, 1, `${x}, ${y}`);
    assert.equal(hitTest(halves, 160, 0), 1);
  });

  it('hits a point on the edge of a circle, and none outside', () => {
    fc.assert(
      fc.property(point, size, fc.double({ min: 0, max: 7, noNaN: true }), ([x, y], r, angle) => {
        const targets: Target[] = [{ shape: 'circle', x, y, r }];
        assert.equal(hitTest(targets, x + r * Math.cos(angle), y + r * Math.sin(angle)), 0);
        assert.equal(hitTest(targets, x + (r + 0.01) * Math.cos(angle), y + (r + 0.01) * Math.sin(angle)), -1);
      }),
    );
  });

  it('hits any point inside any polygon, also concave, and none in its notches', () => {
    fc.assert(
      fc.property(star, fc.nat(), fc.double({ min: 0, max: 0.999, noNaN: true }), ({ middle, points, radii }, pick, along) => {
        fc.pre(points.length >= 5);
        const i = pick % points.length;
        const corner = points[i] ?? middle;
        const at = (share: number): [number, number] => [middle[0] + (corner[0] - middle[0]) * share, middle[1] + (corner[1] - middle[1]) * share];
        const targets: Target[] = [{ shape: 'polygon', points }];
        assert.equal(hitTest(targets, ...at(along)), 0);
        assert.equal(hitTest(targets, ...at(1 + 0.1 / (radii[i] ?? 1))), -1);
      }),
      { numRuns: 1000 },
    );
  });

  it('counts every corner and the middle of every side of a polygon as inside', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: -100, max: 400 }), fc.integer({ min: -100, max: 400 })), { minLength: 3, maxLength: 32 }),
        (points) => {
          const targets: Target[] = [{ shape: 'polygon', points }];
          points.forEach(([x, y], i) => {
            const [nx, ny] = points[(i + 1) % points.length] ?? [x, y];
            assert.equal(hitTest(targets, x, y), 0);
            assert.equal(hitTest(targets, (x + nx) / 2, (y + ny) / 2), 0);
          });
        },
      ),
    );
  });

  it('does not hit the notch of a U', () => {
    const u: Target = {
      shape: 'polygon',
      points: [
        [0, 0],
        [30, 0],
        [30, 100],
        [70, 100],
        [70, 0],
        [100, 0],
        [100, 130],
        [0, 130],
      ],
    };
    assert.equal(hitTest([u], 50, 50), -1);
    assert.equal(hitTest([u], 15, 50), 0);
    assert.equal(hitTest([u], 85, 50), 0);
    assert.equal(hitTest([u], 50, 115), 0);
    assert.equal(hitTest([u], 30, 50), 0);
  });

  it('returns the first listed target where targets overlap', () => {
    const shapes: Target[] = [
      { shape: 'circle', x: 100, y: 100, r: 50 },
      { shape: 'rect', x: 0, y: 0, w: 200, h: 200 },
      {
        shape: 'polygon',
        points: [
          [0, 0],
          [200, 0],
          [200, 200],
          [0, 200],
        ],
      },
    ];
    assert.equal(hitTest(shapes, 100, 100), 0);
    assert.equal(hitTest(shapes, 10, 10), 1);
    assert.equal(hitTest(shapes.toReversed(), 100, 100), 0);
    assert.equal(hitTest([], 100, 100), -1);
  });

  it('accepts extreme and invalid coordinates without an exception', () => {
    const wild = fc.constantFrom(0, -0, 1e308, -1e308, Infinity, -Infinity, NaN, 1e-308);
    fc.assert(
      fc.property(fc.array(fc.tuple(wild, wild), { minLength: 3, maxLength: 6 }), wild, wild, (points, x, y) => {
        const hit = hitTest(
          [
            { shape: 'polygon', points },
            { shape: 'circle', x, y, r: 1e308 },
            { shape: 'rect', x, y, w: 1e308, h: 1e308 },
          ],
          x,
          y,
        );
        assert.ok(hit >= -1 && hit <= 2);
        if (Number.isNaN(x) || Number.isNaN(y)) assert.equal(hit, -1);
      }),
    );
  });
});

describe('targetCenter', () => {
  it('returns a point inside the target, for any shape', () => {
    const any: fc.Arbitrary<Target> = fc.oneof(
      fc.tuple(point, size, size).map(([[x, y], w, h]): Target => ({ shape: 'rect', x, y, w, h })),
      fc.tuple(point, size).map(([[x, y], r]): Target => ({ shape: 'circle', x, y, r })),
      star.map(({ points }): Target => ({ shape: 'polygon', points })),
      fc
        .array(fc.tuple(fc.integer({ min: -100, max: 400 }), fc.integer({ min: -100, max: 400 })), { minLength: 3, maxLength: 32 })
        .map((points): Target => ({ shape: 'polygon', points })),
    );
    fc.assert(
      fc.property(any, (target) => assert.equal(hitTest([target], ...targetCenter(target)), 0)),
      { numRuns: 2000 },
    );
  });
});

describe('regionTargets', () => {
  it('keeps the order and the coordinates of the regions', () => {
    assert.deepEqual(
      regionTargets([
        { rect: [1, 2, 3, 4] },
        { circle: [5, 6, 7] },
        {
          polygon: [
            [0, 0],
            [1, 0],
            [0, 1.5],
          ],
        },
      ]),
      [
        { shape: 'rect', x: 1, y: 2, w: 3, h: 4 },
        { shape: 'circle', x: 5, y: 6, r: 7 },
        {
          shape: 'polygon',
          points: [
            [0, 0],
            [1, 0],
            [0, 1.5],
          ],
        },
      ],
    );
  });
});
