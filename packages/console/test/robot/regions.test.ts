import assert from 'node:assert/strict';
import { limits, validateArgs } from '@perch/schema';
import fc from 'fast-check';
import {
  drawn,
  freeId,
  handles,
  labelAt,
  moved,
  onScreen,
  placed,
  type Point,
  pulled,
  type Region,
  screen,
  toolOf,
} from '../../src/pages/robot/playground/regions/region.js';

const point = fc.tuple(fc.integer({ min: 0, max: screen.w }), fc.integer({ min: 0, max: screen.h })) as fc.Arbitrary<Point>;
const region: fc.Arbitrary<Region> = fc.oneof(
  fc.constantFrom('rect', 'circle', 'polygon').map((tool) => placed(tool as 'rect', 'a')),
  fc.tuple(point, point).map(([from, to]) => drawn('rect', 'a', from, to) ?? placed('rect', 'a')),
  fc.tuple(point, point).map(([from, to]) => drawn('circle', 'a', from, to) ?? placed('circle', 'a')),
  fc.array(point, { minLength: 3, maxLength: 8 }).map((polygon): Region => ({ id: 'a', polygon })),
);
const takes = (each: Region): void => void validateArgs('clickmap', { regions: [each] });

describe('regions', () => {
  it('uses the screen size of the schema', () => {
    assert.deepEqual({ ...screen }, { ...limits.screen });
  });

  it('draws a rectangle between opposite corners, and a circle from its centre', () => {
    assert.deepEqual(drawn('rect', 'a', [100, 90], [40, 50]), { id: 'a', rect: [40, 50, 60, 40] });
    assert.deepEqual(drawn('circle', 'a', [100, 100], [103, 104]), { id: 'a', circle: [100, 100, 5] });
    assert.equal(drawn('rect', 'a', [10, 10], [12, 200]), null);
    assert.equal(drawn('circle', 'a', [10, 10], [11, 11]), null);
  });

  it('puts the id of a region at its upper edge, in its middle if it is low, and always on the screen', () => {
    assert.deepEqual(labelAt({ id: 'left', rect: [0, 0, 160, 240] }), [80, 10]);
    assert.deepEqual(labelAt({ id: 'low', rect: [20, 200, 100, 12] }), [70, 206]);
    assert.deepEqual(labelAt({ id: 'round', circle: [160, 120, 50] }), [160, 80]);
    assert.deepEqual(labelAt(placed('polygon', 'roof')), [160, 80]);
    fc.assert(fc.property(region, (each) => labelAt(each)[1] >= 10 && labelAt(each).every(Number.isFinite)));
  });

  it('converts any pointer position to whole pixels on the screen', () => {
    const box = { left: 20, top: 10, width: 640, height: 480 };
    assert.deepEqual(onScreen({ clientX: 20, clientY: 10 }, box), [0, 0]);
    assert.deepEqual(onScreen({ clientX: 341, clientY: 251 }, box), [161, 121]);
    assert.deepEqual(onScreen({ clientX: 9000, clientY: -5 }, box), [screen.w, 0]);
  });

  it('keeps a region valid after any sequence of operations', () => {
    fc.assert(
      fc.property(region, fc.integer({ min: -400, max: 400 }), fc.integer({ min: -400, max: 400 }), point, fc.nat(7), (each, dx, dy, to, handle) => {
        takes(each);
        takes(moved(each, dx, dy));
        const grip = handle % handles(each).length;
        takes(pulled(each, grip, to));
        assert.equal(toolOf(pulled(each, grip, to)), toolOf(each));
      }),
    );
  });

  it('keeps the shape of a moved region, and its centre on the screen', () => {
    assert.deepEqual(moved({ id: 'a', rect: [300, 10, 20, 20] }, 50, -50), { id: 'a', rect: [300, 0, 20, 20] });
    const corners: Point[] = [
      [0, 0],
      [10, 0],
      [0, 10],
    ];
    const far: Point[] = [
      [310, 5],
      [320, 5],
      [310, 15],
    ];
    assert.deepEqual(moved({ id: 'a', polygon: corners }, 999, 5), { id: 'a', polygon: far });
    assert.deepEqual(moved({ id: 'a', circle: [160, 120, 50] }, -10, 1), { id: 'a', circle: [150, 121, 50] });
  });

  it('reshapes a region by its handles', () => {
    const rect: Region = { id: 'a', rect: [10, 10, 50, 50] };
    assert.deepEqual(handles(rect), [[60, 60]]);
    assert.deepEqual(pulled(rect, 0, [110, 40]), { id: 'a', rect: [10, 10, 100, 30] });
    assert.deepEqual(pulled(rect, 0, [0, 0]), { id: 'a', rect: [10, 10, 1, 1] });
    assert.deepEqual(pulled(placed('polygon', 'a'), 1, [200, 200]), {
      id: 'a',
      polygon: [
        [160, 70],
        [200, 200],
        [100, 170],
      ],
    });
  });

  it('assigns unused ids to regions', () => {
    assert.equal(freeId([]), 'region-1');
    assert.equal(freeId([{ id: 'region-2' }]), 'region-3');
    assert.equal(freeId([{ id: 'x' }, { id: 'region-3' }]), 'region-4');
  });
});
