import assert from 'node:assert/strict';
import type { Target, WaitKind, WaitRecord } from '@perch/schema';
import { hitTest, targetCenter } from '@perch/screen';
import fc from 'fast-check';
import type { ScreenTouch } from '../src/input/gestures.js';
import { match } from '../src/input/consent.js';

const targets: Target[] = [
  { shape: 'rect', x: 20, y: 20, w: 100, h: 60 },
  { shape: 'circle', x: 220, y: 60, r: 30 },
  {
    shape: 'polygon',
    points: [
      [40, 140],
      [140, 140],
      [140, 220],
      [40, 220],
    ],
  },
  { shape: 'rect', x: 100, y: 60, w: 60, h: 60 },
];

function record(kind: WaitKind = 'ask', of: Target[] = targets): WaitRecord {
  return { number: 7, kind, targets: of, picture: null, timeoutMs: 30_000, gateway: 'gw-1', call: 'c', requestId: 'q' };
}

function touch(at: [number, number], fields: Partial<ScreenTouch> = {}): ScreenTouch {
  return { kind: 'touch', x: at[0], y: at[1], endX: at[0], endY: at[1], heldMs: 90, downMs: 1001, downSeq: 6, upSeq: 7, ...fields };
}

describe('match', () => {
  it('returns the target in which the touch began, the first one listed if they overlap, and the position where it began', () => {
    assert.deepEqual(match(record(), touch([30, 30])), { index: 0, x: 30, y: 30 });
    assert.deepEqual(match(record(), touch([110, 70])), { index: 0, x: 110, y: 70 });
    assert.deepEqual(match(record(), touch([130, 70], { endX: 110, endY: 70 })), { index: 3, x: 130, y: 70 });
    assert.equal(match(record(), touch([300, 230])), null);
    assert.equal(match(record(), touch([10, 30], { endX: 30 })), null, 'slid into a target');
  });

  it('accepts a touch of any duration for ask and menu, and one below 800 ms for a clickmap', () => {
    for (const kind of ['ask', 'menu'] as const) assert.notEqual(match(record(kind), touch([30, 30], { heldMs: 5000 })), null);
    assert.notEqual(match(record('clickmap'), touch([30, 30], { heldMs: 799 })), null);
    assert.equal(match(record('clickmap'), touch([30, 30], { heldMs: 800 })), null);
  });

  it('accepts a touch that ends up to 12 px outside its target, for every shape', () => {
    const diagonal = 12 / Math.SQRT2;
    const just = [
      [
        [30, 30],
        [8, 30],
      ],
      [
        [30, 30],
        [20 - diagonal, 20 - diagonal],
      ],
      [
        [220, 60],
        [262, 60],
      ],
      [
        [220, 60],
        [220 + 42 / Math.SQRT2, 60 + 42 / Math.SQRT2],
      ],
      [
        [60, 160],
        [28, 180],
      ],
      [
        [60, 160],
        [140 + diagonal, 220 + diagonal],
      ],
    ] as const;
    for (const [[x, y], [endX, endY]] of just) {
      assert.notEqual(match(record(), touch([x, y], { endX, endY })), null, `${endX},${endY}`);
      const further = (from: number, to: number) => to + Math.sign(to - from) * 0.1;
      assert.equal(match(record(), touch([x, y], { endX: further(x, endX), endY: further(y, endY) })), null, `beyond ${endX},${endY}`);
    }
  });

  it("returns exactly the hit-test's target for a touch that does not move", () => {
    const coordinate = fc.integer({ min: -20, max: 340 });
    const target = fc.oneof(
      fc.record({
        shape: fc.constant('rect' as const),
        x: coordinate,
        y: coordinate,
        w: fc.integer({ min: 1, max: 200 }),
        h: fc.integer({ min: 1, max: 200 }),
      }),
      fc.record({ shape: fc.constant('circle' as const), x: coordinate, y: coordinate, r: fc.integer({ min: 1, max: 90 }) }),
      fc.record({ shape: fc.constant('polygon' as const), points: fc.array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 8 }) }),
    );
    fc.assert(
      fc.property(fc.array(target, { minLength: 1, maxLength: 6 }), coordinate, coordinate, (of, x, y) => {
        assert.equal(match(record('menu', of), touch([x, y]))?.index ?? -1, hitTest(of, x, y));
      }),
    );
    for (const [index, one] of targets.slice(0, 3).entries()) assert.equal(match(record(), touch(targetCenter(one)))?.index, index);
  });
});
