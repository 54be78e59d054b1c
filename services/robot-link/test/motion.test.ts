import assert from 'node:assert/strict';
import { burst, motions } from '@perch/virtual-robot';
import fc from 'fast-check';
import { type Sample, motionOf } from '../src/input/motion.js';
import { carried, raised, randomFrom, recorded, resting, ringing, type Movement } from './motions.js';

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const restS = between(0.12, 0.3);

function always(expected: ReturnType<typeof motionOf>, movements: fc.Arbitrary<Movement>, seconds = 1.3): void {
  const recordings = movements.chain((movement) => recorded(movement, seconds));
  fc.assert(
    fc.property(recordings, ({ samples, hz }) => assert.equal(motionOf(samples, hz), expected)),
    { numRuns: 200 },
  );
}

describe('motionOf', () => {
  it('reports shaken for movements to and fro at 3 to 7 Hz, in any direction', () => {
    const shake = fc.record({ peakG: between(1.3, 4), perSecond: between(3, 7), afterS: between(0, 0.3) });
    always(
      'shaken',
      shake.map(({ peakG, perSecond, afterS }) => resting(afterS, (t) => [peakG * Math.sin(2 * Math.PI * perSecond * t), 0.1, 1])),
    );
  });

  it('reports picked up when the robot is lifted from the table by 18 to 30 cm in 0.4 to 0.8 s', () => {
    const lift = fc.record({ afterS: restS, heightM: between(0.18, 0.3), seconds: between(0.4, 0.8), leanRad: between(-0.3, 0.3) });
    always(
      'picked_up',
      lift.map(({ afterS, ...how }) => resting(afterS, raised(how))),
    );
  });

  it('reports picked up when the robot is lifted slowly: by 15 to 30 cm in 0.8 to 1.2 s, or 15 cm in a second', () => {
    const slow = fc.oneof(
      fc.record({ heightM: between(0.15, 0.17), seconds: between(0.9, 1) }),
      fc.record({ heightM: between(0.2, 0.3), seconds: between(0.8, 1.2) }),
    );
    always(
      'picked_up',
      fc
        .record({ afterS: restS, lift: slow, leanRad: between(-0.2, 0.2) })
        .map(({ afterS, lift, leanRad }) => resting(afterS, raised({ ...lift, leanRad }))),
      1.5,
    );
  });

  it('reports nothing when a robot is held in a trembling hand, or rolled over the table on its foot', () => {
    const tremble = fc.record({ g: between(0.02, 0.08), perSecond: between(4, 12) });
    always(
      null,
      tremble.map(({ g, perSecond }): Movement => (t) => [
        g * Math.cos(2 * Math.PI * perSecond * t),
        0.5 * g,
        1 + g * Math.sin(2 * Math.PI * perSecond * t),
      ]),
      1.5,
    );
    const roll = fc.record({ g: between(0.01, 0.06), perSecond: between(15, 40), seconds: between(0.4, 1.2) });
    always(
      null,
      roll.map(({ g, perSecond, seconds }) =>
        resting(0.15, (t) =>
          t < seconds ? [0.1 * Math.sin((2 * Math.PI * t) / seconds), 0, 1 + g * Math.sin(2 * Math.PI * perSecond * t)] : [0, 0, 1],
        ),
      ),
      1.5,
    );
  });

  it('reports nothing for a vibration of a third of the sample rate, which has the same three values again and again', () => {
    const hz = 100;
    const seen = new Set<ReturnType<typeof motionOf>>();
    for (let perSecond = 33; perSecond < 33.7; perSecond += 0.05)
      for (let phase = 0; phase < 2 * Math.PI; phase += 0.1) {
        const up = (t: number): number => (t < 0.15 ? 1 : 1 + 0.05 * Math.sin(2 * Math.PI * perSecond * t + phase));
        const samples = Array.from({ length: 1.5 * hz }, (_, i): Sample => [0, 0, up(i / hz)]);
        seen.add(motionOf(samples, hz));
      }
    assert.deepEqual([...seen], [null]);
  });

  it('reports nothing when the robot is set down, hard or softly', () => {
    const down = fc.record({ heightM: between(0.1, 0.3), seconds: between(0.4, 0.9), peakG: between(0.2, 2), afterS: restS });
    always(
      null,
      down.map(({ heightM, seconds, peakG, afterS }) => {
        const contact = ringing({ peakG, perSecond: 20, decay: 30 });
        const sinking = raised({ heightM: -heightM, seconds, leanRad: 0 });
        return resting(afterS, (t) => {
          const [x, y, z] = t < seconds ? sinking(t) : [0, 0, 1];
          return [x, y, z + contact(t - seconds)];
        });
      }),
      1.6,
    );
  });

  it('reports nothing while the robot is carried', () => {
    const walk = fc.record({ stepsPerSecond: between(1.6, 2.3), bounceG: between(0.12, 0.35), swayG: between(0.05, 0.2), phase: between(0, 6) });
    always(
      null,
      walk.map(carried).map(
        (steps): Movement =>
          (t) =>
            steps(t).map((g, i) => g + [0.05, 0.04, 0.03][i]! * Math.sin(2 * Math.PI * (8 + i) * t)) as unknown as Sample,
      ),
    );
  });

  it('reports nothing when the table is knocked, once or several times', () => {
    const knock = fc.record({
      peakG: between(-2, 2),
      perSecond: between(12, 60),
      decay: between(20, 40),
      everyS: between(0.2, 0.35),
      times: fc.integer({ min: 1, max: 4 }),
    });
    always(
      null,
      knock.map(({ everyS, times, ...how }) => {
        const ring = ringing(how);
        return resting(0.15, (t) => [0, 0, 1 + Array.from({ length: times }, (_, i) => ring(t - i * everyS)).reduce((a, b) => a + b)]);
      }),
    );
  });

  it('reports nothing for four hard knocks at five a second, whose sampled peaks add up to a lift', () => {
    const ring = ringing({ peakG: 2, perSecond: 12, decay: 22.8 });
    const knocks = resting(0.15, (t) => [0, 0, 1 + [0, 0.2, 0.4, 0.6].reduce((sum, at) => sum + ring(t - at), 0)]);
    fc.assert(
      fc.property(
        recorded(knocks, 1.3).filter(({ hz }) => hz === 50),
        ({ samples, hz }) => assert.equal(motionOf(samples, hz), null),
      ),
      { numRuns: 300 },
    );
  });

  it('reports nothing when the robot is bumped, pushed over the table, or sways with it', () => {
    const bump = fc.record({ peakG: between(-2, 2), perSecond: between(8, 30), decay: between(12, 30) });
    always(
      null,
      bump.map((how) => resting(0.15, (t) => [ringing(how)(t), 0.4 * ringing(how)(t), 1 + 0.2 * ringing(how)(t)])),
    );
    const push = fc.record({ peakG: between(0.1, 0.5), seconds: between(0.3, 1) });
    always(
      null,
      push.map(({ peakG, seconds }) => resting(0.15, (t) => [t < seconds ? peakG * Math.sin((2 * Math.PI * t) / seconds) : 0, 0, 1])),
    );
    const sway = fc.record({ peakG: between(-0.3, 0.3), perSecond: between(4, 9), decay: between(3, 10) });
    always(
      null,
      sway.map((how) => resting(0.15, (t) => [0, 0, 1 + ringing(how)(t)])),
    );
  });

  it('reports nothing when the robot is tilted, slowly or fast', () => {
    const tilt = fc.record({ angle: between(0.1, 1.4), seconds: between(0.4, 2.5) });
    always(
      null,
      tilt.map(({ angle, seconds }) =>
        resting(0.15, (t) => [Math.sin(angle * Math.min(1, t / seconds)), 0, Math.cos(angle * Math.min(1, t / seconds))]),
      ),
      2.2,
    );
  });

  it('agrees with the virtual robot about its movements', () => {
    const meanings = { shake: 'shaken', lift: 'picked_up', knock: null, tilt: null, bump: null } as const;
    fc.assert(
      fc.property(fc.constantFrom(...motions), fc.nat(), (motion, seed) => {
        const { samples, hz } = burst(motion, randomFrom(seed));
        assert.equal(motionOf(samples, hz), meanings[motion], motion);
      }),
      { numRuns: 500 },
    );
  });

  it('requires three reversals of more than 0.8 g over more than 250 ms for shaken', () => {
    const still = Array.from({ length: 50 }, (): Sample => [0, 0, 1]);
    const square = (peakG: number, swings: number, swingMs: number): Sample[] => [
      ...still,
      ...Array.from({ length: (swings * swingMs) / 10 }, (_, i): Sample => [Math.floor((i * 10) / swingMs) % 2 ? -peakG : peakG, 0, 1]),
      ...still,
    ];
    assert.equal(motionOf(square(0.85, 4, 100), 100), 'shaken');
    assert.equal(motionOf(square(0.75, 4, 100), 100), null);
    assert.equal(motionOf(square(2, 3, 100), 100), null);
    assert.equal(motionOf(square(2, 4, 80), 100), null);
  });

  it('requires a sample rate at which movements of a hand are visible', () => {
    const alternating = Array.from({ length: 40 }, (_, i): Sample => [i % 2 ? 2 : -2, 0, 1]);
    assert.equal(motionOf(alternating, 10), 'shaken');
    assert.equal(motionOf(alternating, 9.9), null);
  });

  it('reports shaken, picked up or nothing for any samples at any rate, and never throws', () => {
    const g = fc.oneof(between(-16, 16), fc.double());
    fc.assert(
      fc.property(
        fc.array(fc.tuple(g, g, g), { minLength: 1, maxLength: 300 }),
        fc.double({ min: Number.MIN_VALUE, max: 1e9, noNaN: true }),
        (samples, hz) => {
          assert.ok([null, 'shaken', 'picked_up'].includes(motionOf(samples, hz)));
        },
      ),
    );
  });
});
