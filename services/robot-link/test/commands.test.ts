import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SessionUnderTest, settled } from './session-under-test.js';

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('push' as const), picture: fc.boolean() }) },
  { weight: 4, arbitrary: fc.constant({ do: 'ack' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'loaded' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'hold' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'release' as const }) },
);

describe('the commands of a session', () => {
  it('keeps the order, at most 4 commands in flight and exactly one outcome per command, for any sequence of events', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const loads: (() => void)[] = [];
        const picture = (): Promise<Buffer> => new Promise((resolve) => loads.push(() => resolve(Buffer.alloc(1))));
        const session = new SessionUnderTest({ picture });
        const pushed: string[] = [];
        let mostInFlight = 0;
        let holds = 0;
        for (const each of steps) {
          if (each.do === 'push') {
            const name = `n${pushed.length}`;
            if (session.session.commands.push(session.command(name, each.picture))) pushed.push(name);
            else session.outcomes.delete(name);
          } else if (each.do === 'ack') session.ack();
          else if (each.do === 'loaded') loads.shift()?.();
          else if (each.do === 'hold') {
            session.session.commands.hold();
            holds += 1;
          } else if (holds > 0) {
            session.session.commands.release();
            holds -= 1;
          }
          await settled();
          mostInFlight = Math.max(mostInFlight, session.unacked.length);
        }
        session.session.commands.end();
        await settled();
        assert.ok(mostInFlight <= 4);
        assert.deepEqual(
          session.written.map(({ name }) => name),
          pushed.slice(0, session.written.length),
        );
        assert.equal(new Set(session.written.map(({ id }) => id)).size, session.written.length);
        for (const name of pushed) assert.equal(session.outcomes.get(name)?.length, 1, name);
      }),
    ));

  it('writes the removal of a question before all queued commands, even while the queue is held', () => {
    const session = new SessionUnderTest();
    session.session.commands.hold();
    session.session.commands.push(session.command('later'));
    session.session.commands.pushFirst(session.command('clear'));
    assert.deepEqual(
      session.written.map(({ name }) => name),
      ['clear'],
    );
    session.session.commands.release();
    assert.deepEqual(
      session.written.map(({ name }) => name),
      ['clear', 'later'],
    );
    session.session.commands.end();
  });

  it('keeps the place of a replaced command until the robot acks it', () => {
    const session = new SessionUnderTest();
    const first = session.command('play');
    session.session.commands.push(first);
    for (const name of ['b', 'c', 'd', 'e']) session.session.commands.push(session.command(name));
    session.session.commands.settle(first, { kind: 'replaced' });
    assert.equal(session.written.length, 4);
    session.ack();
    assert.equal(session.written.length, 5);
    assert.deepEqual(session.outcomes.get('play'), [{ kind: 'replaced' }]);
    session.session.commands.end();
  });

  it('stops writing when it drains, resolves when the last command in flight is acked, and returns queued commands when it ends', async () => {
    const session = new SessionUnderTest();
    for (const name of ['a', 'b', 'c', 'd', 'e']) session.session.commands.push(session.command(name));
    let quiet = false;
    const drained = session.session.commands.drain().then(() => (quiet = true));
    session.session.commands.push(session.command('f'));
    for (let i = 0; i < 4; i += 1) {
      await settled();
      assert.equal(quiet, false);
      session.ack();
    }
    await drained;
    assert.equal(session.written.length, 4);
    assert.deepEqual([session.outcomes.get('e'), session.outcomes.get('f')], [[], []], 'not returned while the robot is connected');
    session.session.commands.end();
    session.session.commands.push(session.command('g'));
    for (const name of ['e', 'f', 'g']) assert.deepEqual(session.outcomes.get(name), [{ kind: 'unsent' }]);
  });

  it('still writes the removal of a question while it drains, and returns commands that do not fit into the queue', async () => {
    const session = new SessionUnderTest();
    for (const name of ['a', 'b', 'c', 'd']) session.session.commands.push(session.command(name));
    const drained = session.session.commands.drain();
    for (let i = 0; i < 31; i += 1) session.session.commands.push(session.command(`waits-${i}`));
    session.session.commands.pushFirst(session.command('clear'));
    assert.equal(session.session.commands.push(session.command('one-more')), true);
    assert.deepEqual(session.outcomes.get('one-more'), [{ kind: 'unsent' }]);
    for (let i = 0; i < 5; i += 1) session.ack();
    await drained;
    assert.deepEqual(
      session.written.map(({ name }) => name),
      ['a', 'b', 'c', 'd', 'clear'],
    );
    session.session.commands.end();
  });
});
