import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Gestures, type GestureOutput } from '../src/input/gestures.js';
import { eventsOf, fed, feedAll, headTouch, numbered, screenTouch, type Raw } from './inputs.js';

const held = fc.integer({ min: 10, max: 1500 });
const place = fc.tuple(fc.integer({ min: 0, max: 319 }), fc.integer({ min: 0, max: 239 }));
const screenTouches = fc.array(fc.tuple(held, place, place), { maxLength: 5 }).map((touches) => touches.flatMap((touch) => screenTouch(...touch)));

const swipe = fc.constantFrom('forward', 'back').map((dir): Raw => ({ kind: 'head_swipe', dir }));
const finger = fc.tuple(held, fc.nat(2), fc.nat(2), fc.array(swipe, { maxLength: 2 })).map(([heldMs, from, to, swipes]) => {
  const [down, up] = headTouch(heldMs, { from, to }) as [Raw, Raw];
  return [down, ...swipes, up];
});
const palm = fc
  .tuple(held, fc.shuffledSubarray([0, 1, 2], { minLength: 2 }), fc.shuffledSubarray([0, 1, 2], { minLength: 3 }))
  .map(([heldMs, zones, order]): Raw[] => [
    ...zones.map((zone): Raw => ({ kind: 'head_down', zone })),
    ...order.filter((zone) => zones.includes(zone)).map((zone): Raw => ({ kind: 'head_up', zone, held_ms: heldMs })),
  ]);
const headTouches = fc.array(fc.oneof(finger, palm), { maxLength: 3 }).map((touches) => touches.flat());

const others = fc.array(
  fc.oneof(
    fc.boolean().map((present): Raw => ({ kind: 'usb', present })),
    held.map((ms): Raw => ({ kind: 'power_key', held_ms: ms })),
    fc.constant<Raw>({ kind: 'nfc_out', uid: '04a1' }),
  ),
  { maxLength: 6 },
);

/** Inputs of the screen, the head and other devices at the same time: in order for each device, the devices interleaved; fewer than 48 in all. */
const inputs = fc.tuple(screenTouches, headTouches, others, fc.infiniteStream(fc.nat(2))).map(([screen, head, other, turns]) => {
  const queues = [[...screen], [...head], [...other]];
  const mixed: Raw[] = [];
  for (const turn of turns) {
    const left = queues.filter((queue) => queue.length > 0);
    if (left.length === 0) break;
    mixed.push(left[turn % left.length]!.shift()!);
  }
  return numbered(mixed.map((raw) => ({ ...raw, after: 40 })));
});

const seqOf = (output: GestureOutput): number => (output.kind === 'touch' ? output.upSeq : output.seq);

describe('Gestures', () => {
  it('yields the same results from any point on when another instance is fed the inputs that were not acked', () => {
    fc.assert(
      fc.property(inputs, fc.nat(), (all, cutAt) => {
        const cut = cutAt % (all.length + 1);
        const first = new Gestures();
        const before = feedAll(first, all.slice(0, cut));
        const second = new Gestures(first.marks);
        const storedSeq = Math.max(0, ...before.map(seqOf));
        const again = [...feedAll(second, all.slice(first.ackable)), ...second.settle()].filter((output) => seqOf(output) > storedSeq);
        assert.deepEqual(again, [...feedAll(first, all.slice(cut)), ...first.settle()]);
      }),
      { numRuns: 1000 },
    );
  });

  it('yields nothing for a repeated input and the same results for later ones', () => {
    fc.assert(
      fc.property(inputs, fc.infiniteStream(fc.nat(3)), (all, repeats) => {
        const doubled = all.flatMap((input, i) => {
          const back = repeats.next().value ?? 0;
          return [input, ...all.slice(Math.max(0, i + 1 - back), i + 1)];
        });
        assert.deepEqual(feedAll(new Gestures(), doubled), feedAll(new Gestures(), all));
      }),
    );
  });

  it('names the input that completed each result, in order, and reports a touch of the head as soon as it is known to have ended', () => {
    fc.assert(
      fc.property(inputs, (all) => {
        const gestures = new Gestures();
        let last = 0;
        for (const input of all)
          for (const output of gestures.feed(input, false)) {
            const seq = seqOf(output);
            assert.ok(seq > last && seq <= input.seq);
            if (seq < input.seq) assert.equal(all[seq - 1]!.kind, 'head_up');
            last = seq;
          }
      }),
    );
  });

  it('never acks less than before, more than was fed, or an unfinished touch', () => {
    fc.assert(
      fc.property(inputs, (all) => {
        const gestures = new Gestures();
        let before = 0;
        let downSeq = 0;
        for (const input of all) {
          gestures.feed(input, false);
          if (input.kind === 'touch_down') downSeq = input.seq;
          if (input.kind === 'touch_up') downSeq = 0;
          assert.ok(gestures.ackable >= before && gestures.ackable <= input.seq);
          if (downSeq > 0) assert.ok(gestures.ackable < downSeq);
          before = gestures.ackable;
        }
        gestures.settle();
        assert.equal(gestures.ackable, all.length);
      }),
    );
  });
});

describe('acks of inputs', () => {
  const ackableAfter = (raws: readonly Raw[]): number => {
    const gestures = new Gestures();
    fed(raws, gestures);
    return gestures.ackable;
  };
  const keys = (count: number, after = 10): Raw[] => Array.from({ length: count }, () => ({ kind: 'power_key', held_ms: 100, after }));

  it('makes an input that yields nothing safe to ack at once', () => {
    assert.equal(ackableAfter([{ kind: 'prox', raw: 400 }]), 1);
    assert.equal(ackableAfter([{ kind: 'ir', raw_us: [9000, 2250, 562] }]), 1);
    const unknown = { t: 'in', seq: 1, ms: 5, kind: 'unknown' } as const;
    const gestures = new Gestures();
    assert.deepEqual(gestures.feed(unknown, false), []);
    assert.equal(gestures.ackable, 1);
  });

  for (const down of [
    { kind: 'touch_down', x: 1, y: 1 },
    { kind: 'head_down', zone: 1 },
  ] as const satisfies Raw[]) {
    it(`holds back acks from a ${down.kind} until its end`, () => {
      assert.equal(ackableAfter([...keys(2), down, ...keys(1)]), 2);
      const up: Raw = down.kind === 'touch_down' ? { kind: 'touch_up', x: 1, y: 1, held_ms: 10 } : { kind: 'head_up', zone: 1, held_ms: 10 };
      assert.equal(ackableAfter([...keys(2), down, ...keys(1), up]), 5);
    });

    it(`stops holding back acks for a ${down.kind} after 48 inputs or half a minute`, () => {
      assert.equal(ackableAfter([down, ...keys(47)]), 0);
      assert.equal(ackableAfter([down, ...keys(48)]), 49);
      assert.equal(ackableAfter([down, ...keys(1, 30_000)]), 0);
      assert.equal(ackableAfter([down, ...keys(1, 30_001)]), 2);
    });
  }

  it('reports the event of a touch that no longer holds back acks', () => {
    assert.deepEqual(eventsOf([{ kind: 'head_down', zone: 1 }, ...keys(60), { kind: 'head_up', zone: 1, held_ms: 9000 }]).at(-1), [
      'pet',
      { seconds: 9 },
    ]);
  });
});

describe('missing inputs', () => {
  const withGap = (raws: readonly Raw[], ...missing: number[]): GestureOutput[] => {
    const gestures = new Gestures();
    const outputs = feedAll(
      gestures,
      numbered(raws).filter(({ seq }) => !missing.includes(seq)),
    );
    return [...outputs, ...gestures.settle()];
  };

  it('does not combine the beginning of one touch and the end of another when inputs between them are missing', () => {
    const pauseMs = 500;
    const twice = (touch: Raw[]): Raw[] => [...touch, { ...touch[0]!, after: pauseMs }, touch[1]!];
    assert.deepEqual(withGap(twice(screenTouch(90)), 2, 3), []);
    assert.deepEqual(withGap(twice(headTouch(90)), 2, 3), []);
  });

  it('reports a touch although inputs in the middle of it are missing', () => {
    const middle: Raw = { kind: 'usb', present: true };
    const [down, up] = screenTouch(200) as [Raw, Raw];
    assert.equal(withGap([down, middle, up], 2).length, 1);
    const [on, off] = headTouch(200) as [Raw, Raw];
    assert.equal(withGap([on, middle, off], 2).length, 1);
  });
});

describe('other inputs', () => {
  it('reports a press of the power button as long from 1,000 ms', () => {
    assert.deepEqual(eventsOf([{ kind: 'power_key', held_ms: 999 }]), [['button', { press: 'short' }]]);
    assert.deepEqual(eventsOf([{ kind: 'power_key', held_ms: 1000 }]), [['button', { press: 'long' }]]);
  });

  it('reports the USB cable when it changes, not when an input repeats its state', () => {
    const reports = [true, true, false, false, true].map((present): Raw => ({ kind: 'usb', present }));
    assert.deepEqual(eventsOf(reports), [
      ['plugged', {}],
      ['unplugged', {}],
      ['plugged', {}],
    ]);
    assert.deepEqual(eventsOf(reports.slice(0, 2), new Gestures({ near: null, usb: true })), []);
    assert.deepEqual(eventsOf([{ kind: 'usb', present: false }]), [['unplugged', {}]]);
  });

  it('reports a tag with its uid, type and text, and its removal with its uid', () => {
    const text = Buffer.from([0xd1, 0x01, 0x05, 0x54, 0x02, 0x65, 0x6e, 0x68, 0x69]).toString('base64');
    assert.deepEqual(
      eventsOf([
        { kind: 'nfc_in', uid: '04:A1:B2', type: 'NTAG213', ndef_b64: text },
        { kind: 'nfc_out', uid: '04A1B2' },
        { kind: 'nfc_in', uid: '04', type: 'MIFARE Classic' },
      ]),
      [
        ['tag', { uid: '04a1b2', type: 'NTAG213', text: 'hi' }],
        ['tag_removed', { uid: '04a1b2' }],
        ['tag', { uid: '04', type: 'MIFARE Classic' }],
      ],
    );
  });

  it('reports a shake only while the head is not moving', () => {
    const samples = Array.from({ length: 60 }, (_, i): [number, number, number] => [2 * Math.sin((2 * Math.PI * 4 * i) / 50), 0, 1]);
    const [burst] = numbered([{ kind: 'imu_burst', hz: 50, samples }]);
    assert.deepEqual(new Gestures().feed(burst!, false), [{ kind: 'event', name: 'shaken', data: {}, seq: 1 }]);
    assert.deepEqual(new Gestures().feed(burst!, true), []);
  });
});
