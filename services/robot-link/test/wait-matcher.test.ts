import assert from 'node:assert/strict';
import type { Armed, Target, WaitKind, WaitRecord } from '@perch/schema';
import { hitTest, targetCenter } from '@perch/screen';
import fc from 'fast-check';
import type { ScreenTouch } from '../src/input/gestures.js';
import { match } from '../src/waits/wait-matcher.js';

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

const drawn: Armed = { bootId: 'boot', ms: 1000, seq: 5, deadline: 0 };
const asIs: Armed = { ...drawn, ms: null };

function touch(at: [number, number], fields: Partial<ScreenTouch> = {}): ScreenTouch {
  return { kind: 'touch', x: at[0], y: at[1], endX: at[0], endY: at[1], heldMs: 90, downMs: 1001, downSeq: 6, upSeq: 7, ...fields };
}

describe('match', () => {
  it('returns the target in which the touch began, the first one listed if they overlap, and the position where it began', () => {
    assert.deepEqual(match(record(), drawn, touch([30, 30]), 'boot'), { index: 0, x: 30, y: 30 });
    assert.deepEqual(match(record(), drawn, touch([110, 70]), 'boot'), { index: 0, x: 110, y: 70 });
    assert.deepEqual(match(record(), drawn, touch([130, 70], { endX: 110, endY: 70 }), 'boot'), { index: 3, x: 130, y: 70 });
    assert.equal(match(record(), drawn, touch([300, 230]), 'boot'), null);
    assert.equal(match(record(), drawn, touch([10, 30], { endX: 30 }), 'boot'), null, 'slid into a target');
  });

  it('accepts only a touch that began after the picture was on the screen', () => {
    const began = (downMs: number, downSeq: number) => match(record(), drawn, touch([30, 30], { downMs, downSeq }), 'boot') !== null;
    assert.equal(began(999, 99), false);
    assert.equal(began(1001, 1), true);
    assert.equal(began(1000, 5), false, 'seen before the ack of the same ms');
    assert.equal(began(1000, 6), true, 'seen after the ack of the same ms');
  });

  it('accepts, for a wait without a picture, only a touch that began after the last input seen when it was armed', () => {
    for (const [downSeq, answers] of [
      [4, false],
      [5, false],
      [6, true],
    ] as const)
      assert.equal(match(record('clickmap'), asIs, touch([30, 30], { downSeq, downMs: 0 }), 'boot') !== null, answers);
  });

  it('rejects a touch from another boot than the one in which the wait was armed', () => {
    assert.equal(match(record(), drawn, touch([30, 30], { downMs: 99_999, downSeq: 999 }), 'another'), null);
  });

  it('accepts a touch of any duration for ask and menu, and one below 800 ms for a clickmap', () => {
    for (const kind of ['ask', 'menu'] as const) assert.notEqual(match(record(kind), drawn, touch([30, 30], { heldMs: 5000 }), 'boot'), null);
    assert.notEqual(match(record('clickmap'), drawn, touch([30, 30], { heldMs: 799 }), 'boot'), null);
    assert.equal(match(record('clickmap'), drawn, touch([30, 30], { heldMs: 800 }), 'boot'), null);
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
      assert.notEqual(match(record(), drawn, touch([x, y], { endX, endY }), 'boot'), null, `${endX},${endY}`);
      const further = (from: number, to: number) => to + Math.sign(to - from) * 0.1;
      assert.equal(match(record(), drawn, touch([x, y], { endX: further(x, endX), endY: further(y, endY) }), 'boot'), null, `beyond ${endX},${endY}`);
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
        assert.equal(match(record('menu', of), drawn, touch([x, y]), 'boot')?.index ?? -1, hitTest(of, x, y));
      }),
    );
    for (const [index, one] of targets.slice(0, 3).entries()) assert.equal(match(record(), drawn, touch(targetCenter(one)), 'boot')?.index, index);
  });
});
