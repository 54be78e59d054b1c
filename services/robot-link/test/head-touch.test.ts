import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Gestures } from '../src/input/gestures.js';
import { eventsOf, headTouch, numbered, type Raw } from './inputs.js';

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

  it('reports a touch of a zone that a finger slid over before as one of its own', () => {
    const [down, up] = headTouch(400, { from: 0, to: 2 }) as [Raw, Raw];
    for (const ofStroke of [
      [down, { kind: 'head_swipe', zone: 2, dir: 'back' } as Raw, up],
      [down, { kind: 'head_swipe', dir: 'back' } as Raw, up],
    ])
      assert.deepEqual(eventsOf([...ofStroke, ...headTouch(1000)]), [
        ['stroke', { direction: 'back' }],
        ['pet', { seconds: 1 }],
      ]);
    assert.deepEqual(eventsOf([down, up, ...headTouch(1000)]), [
      ['pat', { ms: 400 }],
      ['pet', { seconds: 1 }],
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

  /** @param gapMs time between the release of a zone and the press of the next one; negative: the finger is on both */
  const stroke = (zones: readonly number[], zoneMs: number, gapMs: number): Raw[] => {
    const times = zones.flatMap((zone, i) => {
      const from = i * (zoneMs + gapMs);
      return [
        { at: from, raw: { kind: 'head_down', zone } as Raw },
        { at: from + zoneMs, raw: { kind: 'head_up', zone, held_ms: zoneMs } as Raw },
      ];
    });
    const sorted = times.toSorted((a, b) => a.at - b.at);
    return sorted.map(({ at, raw }, i) => ({ ...raw, after: i === 0 ? 1000 : at - sorted[i - 1]!.at }));
  };

  it('reports one stroke for a finger along three or two zones that the robot reports without a swipe, fast or slow', () => {
    for (const [zones, direction] of [
      [[0, 1, 2], 'back'],
      [[2, 1, 0], 'forward'],
      [[0, 1], 'back'],
      [[2, 1], 'forward'],
    ] as const)
      for (const [zoneMs, gapMs] of [
        [100, -40],
        [250, -100],
        [900, -300],
        [60, 5],
        [300, 90],
        [700, 200],
      ] as const)
        assert.deepEqual(eventsOf(stroke(zones, zoneMs, gapMs)), [['stroke', { direction }]], `${zones.join()} ${zoneMs} ms ${gapMs} ms`);
  });

  it('reports each stroke once if the robot reports the swipe as well', () => {
    const [down, up, ...rest] = stroke([0, 1, 2], 300, 90) as [Raw, Raw, ...Raw[]];
    assert.deepEqual(eventsOf([down, up, rest[0]!, { kind: 'head_swipe', dir: 'back' }, ...rest.slice(1)]), [['stroke', { direction: 'back' }]]);
  });

  it('reports a pat and a stroke where the robot reports a swipe in another direction than from the pat to it, and one stroke otherwise', () => {
    const swiped = (from: number, to: number, dir: 'forward' | 'back'): Raw[] => [
      { kind: 'head_down', zone: from, after: 50 },
      { kind: 'head_swipe', zone: to, dir },
      { kind: 'head_up', zone: to, held_ms: 300, after: 300 },
    ];
    for (const [from, to, dir] of [
      [2, 0, 'forward'],
      [0, 2, 'back'],
    ] as const)
      assert.deepEqual(eventsOf([...headTouch(200), ...swiped(from, to, dir)]), [
        ['pat', { ms: 200 }],
        ['stroke', { direction: dir }],
      ]);
    assert.deepEqual(eventsOf([...headTouch(200, { from: 0 }), ...swiped(1, 2, 'back')]), [['stroke', { direction: 'back' }]]);
  });

  it('reports pats for touches of several zones that are no movement: with a pause, in no direction, or of the same zone', () => {
    const pats = (raws: Raw[]): unknown[] => eventsOf(raws).map((event) => (event as [string])[0]);
    assert.deepEqual(pats(stroke([0, 1, 2], 100, 201)), ['pat', 'pat', 'pat']);
    assert.deepEqual(pats(stroke([1, 1], 100, 100)), ['pat', 'pat']);
    assert.deepEqual(pats(stroke([1, 2, 0], 100, 100)), ['stroke', 'pat']);
    assert.deepEqual(pats(stroke([0, 1], 400, -380)), ['pat']);
  });

  it('ends a touch of the head with the next input after 200 ms, before the result of that input', () => {
    const gestures = new Gestures();
    const [down, up, late] = numbered([...headTouch(90), { kind: 'usb', present: true, after: 201 }]);
    assert.deepEqual([gestures.feed(down!, false), gestures.feed(up!, false), gestures.pendingMs], [[], [], 200]);
    assert.deepEqual(
      gestures.feed(late!, false).map((output) => output.kind === 'event' && [output.name, output.seq]),
      [
        ['pat', 2],
        ['plugged', 3],
      ],
    );
    assert.equal(gestures.pendingMs, null);
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
