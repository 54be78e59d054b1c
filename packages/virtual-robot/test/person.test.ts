import assert from 'node:assert/strict';
import { Person } from '../src/index.js';
import { eventually } from '@perch/link-server';
import { bytes, fastClock, withRobot } from './connected-robot.js';

const near = (taps: Person['taps']): unknown[] =>
  taps
    .slice(0, 2)
    .map(({ x, y }) => [x, y])
    .sort();

describe('a person at the robot', () => {
  it(
    'taps left and right after a while, then elsewhere while the same question stays, and stops when it disappears',
    withRobot({}, async ({ robot, session }) => {
      const person = new Person(robot, { thinkMs: 1000, againMs: 200, clock: fastClock(50) });
      await session.ack(session.show('question', 'w1', bytes(50)));
      assert.deepEqual(person.taps, []);
      await eventually(() => person.taps.length >= 6);
      assert.deepEqual(near(person.taps), [
        [260, 170],
        [60, 170],
      ]);
      assert.ok(new Set(person.taps.map(({ x, y }: { x: number; y: number }) => 1000 * x + y)).size >= 5);
      await session.run('screen.clear', { layer: 'question' });
      const tapped = person.taps.length;
      const clearedAt = robot.ms;
      await robot.until(({ ms }) => ms > clearedAt + 60);
      assert.equal(person.taps.length, tapped);
      await session.ack(session.show('question', 'w2', bytes(50)));
      await eventually(() => person.taps.at(-1)?.question === 'w2');
      person.stop();
    }),
  );

  it(
    'looks at a question for 400 ms before it taps, however fast it is told to be, and again after another picture of it',
    withRobot({}, async ({ robot, session }) => {
      const clock = fastClock(10);
      const person = new Person(robot, { thinkMs: 1, againMs: 60_000, clock });
      for (const id of ['w1', 'w1p2']) {
        const shownAt = clock.now();
        await session.ack(session.show('question', id, bytes(50)));
        await eventually(() => person.taps.at(-1)?.question === id);
        assert.ok(clock.now() - shownAt >= 400, `${clock.now() - shownAt} ms`);
      }
      assert.equal(person.taps.length, 2);
      person.stop();
    }),
  );

  it(
    'leaves approvals alone, whether their answers are grey or count, and answers the question after them',
    withRobot({}, async ({ robot, session }) => {
      const person = new Person(robot, { thinkMs: 1, againMs: 200, clock: fastClock(50) });
      for (const id of ['w1g1', 'w1r1', 'w2g1', 'w2g2', 'w2r2', 'w2r1']) {
        await session.ack(session.show('question', id, bytes(50)));
        const shownAt = robot.ms;
        await robot.until(({ ms }) => ms > shownAt + 40);
      }
      assert.deepEqual(person.taps, []);
      await session.ack(session.show('question', 'w3', bytes(50)));
      await eventually(() => person.taps.some(({ question }) => question === 'w3'));
      person.stop();
    }),
  );

  it(
    'told to answer approvals, taps beside the answers of a page whose answers are grey, which turns it, and then on them',
    withRobot({}, async ({ robot, session }) => {
      const person = new Person(robot, { thinkMs: 1, againMs: 200, approvals: true, clock: fastClock(50) });
      await session.ack(session.show('question', 'w1g1', bytes(50)));
      await eventually(() => person.taps.length >= 3);
      assert.deepEqual(
        person.taps.filter(({ y }) => y > 40),
        [],
      );
      await session.ack(session.show('question', 'w1r2', bytes(50)));
      await eventually(() => person.taps.some(({ question, y }) => question === 'w1r2' && y === 170));
      person.stop();
    }),
  );

  it(
    'does not tap cards, nor after a question disappeared',
    withRobot({}, async ({ robot, session }) => {
      const person = new Person(robot, { thinkMs: 5, againMs: 5, clock: fastClock(50) });
      await session.ack(session.show('card', 'k1', bytes(50)));
      person.stop();
      await session.ack(session.show('question', 'w1', bytes(50)));
      const shownAt = robot.ms;
      await robot.until(({ ms }) => ms > shownAt + 40);
      assert.deepEqual(person.taps, []);
    }),
  );

  it(
    'answers a question that was showing before',
    withRobot({}, async ({ robot, session }) => {
      await session.ack(session.show('question', 'w1', bytes(50)));
      const person = new Person(robot, { thinkMs: 5, againMs: 60_000, clock: fastClock(50) });
      await eventually(() => session.of('in').some(({ kind, y }) => kind === 'touch_up' && y === 170));
      person.stop();
    }),
  );
});
