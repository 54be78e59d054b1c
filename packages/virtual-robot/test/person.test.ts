import assert from 'node:assert/strict';
import { Person } from '../src/index.js';
import { bytes, eventually, withRobot } from './fake-link-server.js';

const near = (taps: Person['taps']): unknown[] =>
  taps
    .slice(0, 2)
    .map(({ x, y }) => [x, y])
    .sort();

describe('a person at the robot', () => {
  it(
    'taps left and right after a while, then elsewhere while the same question stays, and stops when it disappears',
    withRobot({}, async ({ robot, session }) => {
      const person = new Person(robot, { thinkMs: 30, againMs: 10 });
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
    'does not tap cards, nor after a question disappeared',
    withRobot({}, async ({ robot, session }) => {
      const person = new Person(robot, { thinkMs: 5, againMs: 5 });
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
      const person = new Person(robot, { thinkMs: 5, againMs: 1000 });
      await eventually(() => session.of('in').some(({ kind, y }) => kind === 'touch_up' && y === 170));
      person.stop();
    }),
  );
});
