import assert from 'node:assert/strict';
import fc from 'fast-check';
import { eventsOf, headTouch, type Raw } from './inputs.js';

describe('a touch on the head', () => {
  it('reports a touch of the head as a pat below 700 ms and as a pet from 700 ms', () => {
    assert.deepEqual(eventsOf(headTouch(699)), [['pat', { ms: 699 }]]);
    assert.deepEqual(eventsOf(headTouch(700)), [['pet', { seconds: 0.7 }]]);
    assert.deepEqual(eventsOf(headTouch(2340)), [['pet', { seconds: 2.34 }]]);
  });

  it('reports a stroke for each swipe on the head, and then neither pat nor pet', () => {
    for (const dir of ['forward', 'back'] as const)
      for (const held of [300, 2000]) {
        const [down, up] = headTouch(held, { from: 0, to: 2 }) as [Raw, Raw];
        assert.deepEqual(eventsOf([down, { kind: 'head_swipe', zone: 2, dir }, up]), [['stroke', { direction: dir }]]);
      }
  });

  it('reports a pat for the next touch of the head after a stroke', () => {
    const swipe: Raw = { kind: 'head_swipe', dir: 'back' };
    const [down, up] = headTouch(300) as [Raw, Raw];
    assert.deepEqual(eventsOf([down, swipe, up, ...headTouch(200)]), [
      ['stroke', { direction: 'back' }],
      ['pat', { ms: 200 }],
    ]);
  });

  it('ends a touch of the head in any zone that the finger slid to', () => {
    assert.deepEqual(eventsOf(headTouch(300, { from: 0, to: 2 })), [['pat', { ms: 300 }]]);
  });

  it('treats a palm over several zones as one touch, from the first zone pressed to the last one released, in any order of release', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2], { minLength: 2 }), fc.integer({ min: 20, max: 900 }), fc.nat(1000), (zones, heldMs, pick) => {
        const downs = zones.map((zone, i): Raw => ({ kind: 'head_down', zone, after: i === 0 ? 10 : 15 }));
        const released = zones.toSorted((a, b) => ((a * 7 + pick) % 3) - ((b * 7 + pick) % 3));
        const ups = released.map((zone, i): Raw => ({ kind: 'head_up', zone, held_ms: heldMs, after: i === 0 ? heldMs : 5 }));
        const whole = 15 * (zones.length - 1) + heldMs + 5 * (zones.length - 1);
        const expected = whole < 700 ? ['pat', { ms: whole }] : ['pet', { seconds: whole / 1000 }];
        assert.deepEqual(eventsOf([...downs, ...ups, ...headTouch(50)]), [expected, ['pat', { ms: 50 }]]);
      }),
    );
  });

  it('drops an unfinished touch of the head when its zone is pressed again, or another one half a minute later', () => {
    assert.deepEqual(eventsOf([{ kind: 'head_down', zone: 1 }, ...headTouch(200)]), [['pat', { ms: 200 }]]);
    const late = headTouch(200, { from: 2 });
    assert.deepEqual(eventsOf([{ kind: 'head_down', zone: 1 }, { ...late[0]!, after: 30_001 }, late[1]!]), [['pat', { ms: 200 }]]);
  });

  it('yields nothing for a touch of the head whose beginning is unknown', () => {
    assert.deepEqual(eventsOf([{ kind: 'head_up', zone: 1, held_ms: 200 }]), []);
  });
});
