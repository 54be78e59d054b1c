import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Gestures, Proximity } from '../src/input/gestures.js';
import { eventsOf, feedAll, numbered, proximity } from './inputs.js';

function changes(stored: boolean | null, samples: readonly (readonly [raw: number, ms: number])[]): [string, number][] {
  const machine = new Proximity(stored);
  return samples.flatMap(([raw, ms]): [string, number][] => {
    const change = machine.feed(raw, ms);
    return change === null ? [] : [[change, ms]];
  });
}

describe('Proximity', () => {
  it('reports near from 300 held for 200 ms', () => {
    assert.deepEqual(
      changes(false, [
        [300, 0],
        [300, 199],
      ]),
      [],
    );
    assert.deepEqual(
      changes(false, [
        [300, 0],
        [300, 200],
      ]),
      [['near', 200]],
    );
    assert.deepEqual(
      changes(false, [
        [299, 0],
        [299, 200],
        [299, 900],
      ]),
      [],
    );
  });

  it('reports away below 200 held for 500 ms', () => {
    assert.deepEqual(
      changes(true, [
        [199, 0],
        [199, 499],
      ]),
      [],
    );
    assert.deepEqual(
      changes(true, [
        [199, 0],
        [199, 500],
      ]),
      [['away', 500]],
    );
    assert.deepEqual(
      changes(true, [
        [200, 0],
        [200, 500],
        [200, 2000],
      ]),
      [],
    );
  });

  it('starts the time again after any sample that contradicts the change', () => {
    assert.deepEqual(
      changes(false, [
        [400, 0],
        [299, 100],
        [400, 150],
        [400, 340],
      ]),
      [],
    );
    assert.deepEqual(
      changes(true, [
        [100, 0],
        [200, 400],
        [100, 450],
        [100, 900],
      ]),
      [],
    );
    assert.deepEqual(
      changes(true, [
        [100, 0],
        [200, 400],
        [100, 450],
        [100, 950],
      ]),
      [['away', 950]],
    );
  });

  it('treats missing samples as an unchanged value', () => {
    assert.deepEqual(
      changes(false, [
        [400, 0],
        [400, 5000],
      ]),
      [['near', 5000]],
    );
  });

  it('reports a change, not a repeat, whatever the state was before', () => {
    const close = [
      [400, 0],
      [400, 300],
      [400, 900],
    ] as const;
    const far = [
      [50, 0],
      [50, 600],
      [50, 1200],
    ] as const;
    assert.deepEqual(changes(true, close), []);
    assert.deepEqual(changes(false, far), []);
    assert.deepEqual(changes(null, close), [['near', 300]]);
    assert.deepEqual(changes(null, far), [], 'no away without near');
  });

  it('starts the time again when the clock went back or samples are missing', () => {
    assert.deepEqual(
      changes(false, [
        [400, 5000],
        [400, 100],
        [400, 299],
      ]),
      [],
    );
    const gestures = new Gestures();
    const [first, , , last] = numbered(proximity(400, 400, 400, 400));
    assert.deepEqual(feedAll(gestures, [first!, last!]), []);
  });

  it('reports near and away alternately for any samples', () => {
    const sample = fc.record({ raw: fc.integer({ min: 0, max: 600 }), after: fc.integer({ min: 20, max: 400 }) });
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 200 }), (samples) => {
        const names = eventsOf(samples.map((s) => ({ kind: 'prox', ...s }))).map((e) => (e as [string])[0]);
        assert.deepEqual(
          names,
          names.map((_, i) => (i % 2 === 0 ? 'near' : 'away')),
        );
      }),
    );
  });

  it('reports the same on an instance that takes over at any sample, from the stored state', () => {
    const level = fc.constantFrom(50, 250, 500);
    // As a robot sends them: for at least a second after a change.
    const stay = fc.tuple(level, fc.integer({ min: 11, max: 20 }));
    fc.assert(
      fc.property(fc.array(stay, { minLength: 1, maxLength: 8 }), fc.nat(), (stays, cutAt) => {
        const inputs = numbered(proximity(...stays.flatMap(([raw, samples]) => Array<number>(samples).fill(raw))));
        const cut = cutAt % inputs.length;
        const first = new Gestures({ near: false, usb: null });
        for (const input of inputs.slice(0, cut)) first.feed(input, false);
        const second = new Gestures(first.marks);
        const names = (machine: Gestures) => feedAll(machine, inputs.slice(cut)).map((o) => o.kind === 'event' && o.name);
        assert.deepEqual(names(second), names(first));
      }),
    );
  });
});
