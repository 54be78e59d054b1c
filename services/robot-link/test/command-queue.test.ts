import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CommandQueue } from '../src/commands/command-queue.js';
import type { Command, CommandPort, Loaded } from '../src/commands/command.js';
import type { CommandOutcome } from '../src/commands/command-outcome.js';

/** A session whose robot acks when a test says so, with a clock that stands still. */
class FakeSession implements CommandPort {
  readonly written: { id: string; name: string }[] = [];
  readonly outcomes = new Map<string, CommandOutcome[]>();
  readonly loads: (() => void)[] = [];
  readonly queue = new CommandQueue(this, 'abc');
  inFlight = new Set<string>();
  mostInFlight = 0;

  now(): number {
    return 1000;
  }

  load(): Promise<Loaded> {
    return new Promise((resolve) => this.loads.push(() => resolve([Buffer.alloc(1)])));
  }

  write(command: Command, id: string): null {
    this.written.push({ id, name: command.name });
    this.inFlight.add(id);
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight.size);
    return null;
  }

  commandQueued(): void {}
  commandAcked(): void {}
  commandEnded(): void {}

  command(name: string, withPicture = false): Command {
    this.outcomes.set(name, []);
    return {
      name,
      args: {},
      expires: 60_000,
      ...(withPicture ? { attachments: [{ path: [], picture: {} as never }] } : {}),
      done: (outcome) => this.outcomes.get(name)!.push(outcome),
    };
  }

  ack(): void {
    const [id] = this.inFlight;
    if (id === undefined) return;
    this.inFlight.delete(id);
    this.queue.onAck({ t: 'ack', id, ms: 1, ok: true, result: {} });
  }
}

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('push' as const), picture: fc.boolean() }) },
  { weight: 4, arbitrary: fc.constant({ do: 'ack' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'loaded' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'hold' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'release' as const }) },
);

describe('CommandQueue', () => {
  it('keeps the order, at most 4 commands in flight and exactly one outcome per command, for any sequence of events', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const session = new FakeSession();
        const pushed: string[] = [];
        let holds = 0;
        for (const each of steps) {
          if (each.do === 'push') {
            const name = `n${pushed.length}`;
            if (session.queue.push(session.command(name, each.picture))) pushed.push(name);
            else session.outcomes.delete(name);
          } else if (each.do === 'ack') session.ack();
          else if (each.do === 'loaded') session.loads.shift()?.();
          else if (each.do === 'hold') {
            session.queue.hold();
            holds += 1;
          } else if (holds > 0) {
            session.queue.release();
            holds -= 1;
          }
          await Promise.resolve();
        }
        session.queue.end();
        await Promise.resolve();
        assert.ok(session.mostInFlight <= 4);
        assert.deepEqual(
          session.written.map(({ name }) => name),
          pushed.slice(0, session.written.length),
        );
        assert.equal(new Set(session.written.map(({ id }) => id)).size, session.written.length);
        for (const name of pushed) assert.equal(session.outcomes.get(name)?.length, 1, name);
      }),
    ));

  it('writes the removal of a question before all queued commands, even while the queue is held', () => {
    const session = new FakeSession();
    session.queue.hold();
    session.queue.push(session.command('later'));
    session.queue.pushFirst(session.command('clear'));
    assert.deepEqual(
      session.written.map(({ name }) => name),
      ['clear'],
    );
    session.queue.release();
    assert.deepEqual(
      session.written.map(({ name }) => name),
      ['clear', 'later'],
    );
    session.queue.end();
  });

  it('keeps the place of a replaced command until the robot acks it', () => {
    const session = new FakeSession();
    const first = session.command('play');
    session.queue.push(first);
    for (const name of ['b', 'c', 'd', 'e']) session.queue.push(session.command(name));
    session.queue.settle(first, { kind: 'replaced' });
    assert.equal(session.written.length, 4);
    session.ack();
    assert.equal(session.written.length, 5);
    assert.deepEqual(session.outcomes.get('play'), [{ kind: 'replaced' }]);
    session.queue.end();
  });

  it('stops writing when it drains, resolves when the last command in flight is acked, and returns queued commands when it ends', async () => {
    const session = new FakeSession();
    for (const name of ['a', 'b', 'c', 'd', 'e']) session.queue.push(session.command(name));
    let quiet = false;
    const drained = session.queue.drain().then(() => (quiet = true));
    session.queue.push(session.command('f'));
    for (let i = 0; i < 4; i += 1) {
      await Promise.resolve();
      assert.equal(quiet, false);
      session.ack();
    }
    await drained;
    assert.equal(session.written.length, 4);
    assert.deepEqual([session.outcomes.get('e'), session.outcomes.get('f')], [[], []], 'not returned while the robot is connected');
    session.queue.end();
    session.queue.push(session.command('g'));
    for (const name of ['e', 'f', 'g']) assert.deepEqual(session.outcomes.get(name), [{ kind: 'unsent' }]);
  });

  it('still writes the removal of a question while it drains, and returns commands that do not fit into the queue', async () => {
    const session = new FakeSession();
    for (const name of ['a', 'b', 'c', 'd']) session.queue.push(session.command(name));
    const drained = session.queue.drain();
    for (let i = 0; i < 31; i += 1) session.queue.push(session.command(`waits-${i}`));
    session.queue.pushFirst(session.command('clear'));
    assert.equal(session.queue.push(session.command('one-more')), true);
    assert.deepEqual(session.outcomes.get('one-more'), [{ kind: 'unsent' }]);
    for (let i = 0; i < 5; i += 1) session.ack();
    await drained;
    assert.deepEqual(
      session.written.map(({ name }) => name),
      ['a', 'b', 'c', 'd', 'clear'],
    );
    session.queue.end();
  });
});
