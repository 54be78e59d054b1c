import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CommandQueue, type Command, type CommandOutcome, type CommandPort, type Loaded } from '../src/commands/command-queue.js';

/** A robot that acks when it is told to, and a clock that stands. */
class Bench implements CommandPort {
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

describe('the command queue', () => {
  it('keeps the order, at most 4 in flight, and tells each outcome exactly once, whatever happens when', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const bench = new Bench();
        const pushed: string[] = [];
        let holds = 0;
        for (const each of steps) {
          if (each.do === 'push') {
            const name = `n${pushed.length}`;
            if (bench.queue.push(bench.command(name, each.picture))) pushed.push(name);
            else bench.outcomes.delete(name);
          } else if (each.do === 'ack') bench.ack();
          else if (each.do === 'loaded') bench.loads.shift()?.();
          else if (each.do === 'hold') {
            bench.queue.hold();
            holds += 1;
          } else if (holds > 0) {
            bench.queue.release();
            holds -= 1;
          }
          await Promise.resolve();
        }
        bench.queue.end();
        await Promise.resolve();
        assert.ok(bench.mostInFlight <= 4);
        assert.deepEqual(
          bench.written.map(({ name }) => name),
          pushed.slice(0, bench.written.length),
        );
        assert.equal(new Set(bench.written.map(({ id }) => id)).size, bench.written.length);
        for (const name of pushed) assert.equal(bench.outcomes.get(name)?.length, 1, name);
      }),
    ));

  it('puts the removal of a question before all that waits, even while it is held', () => {
    const bench = new Bench();
    bench.queue.hold();
    bench.queue.push(bench.command('later'));
    bench.queue.pushFirst(bench.command('clear'));
    assert.deepEqual(
      bench.written.map(({ name }) => name),
      ['clear'],
    );
    bench.queue.release();
    assert.deepEqual(
      bench.written.map(({ name }) => name),
      ['clear', 'later'],
    );
    bench.queue.end();
  });

  it('keeps the place of a command that was replaced until the robot acks it', () => {
    const bench = new Bench();
    const first = bench.command('play');
    bench.queue.push(first);
    for (const name of ['b', 'c', 'd', 'e']) bench.queue.push(bench.command(name));
    bench.queue.settle(first, { kind: 'replaced' });
    assert.equal(bench.written.length, 4);
    bench.ack();
    assert.equal(bench.written.length, 5);
    assert.deepEqual(bench.outcomes.get('play'), [{ kind: 'replaced' }]);
    bench.queue.end();
  });

  it('drains: writes nothing more, resolves when the last in flight is acked, and gives back what waits when the robot leaves', async () => {
    const bench = new Bench();
    for (const name of ['a', 'b', 'c', 'd', 'e']) bench.queue.push(bench.command(name));
    let quiet = false;
    const drained = bench.queue.drain().then(() => (quiet = true));
    bench.queue.push(bench.command('f'));
    for (let i = 0; i < 4; i += 1) {
      await Promise.resolve();
      assert.equal(quiet, false);
      bench.ack();
    }
    await drained;
    assert.equal(bench.written.length, 4);
    assert.deepEqual([bench.outcomes.get('e'), bench.outcomes.get('f')], [[], []], 'not sent back to where the robot still is');
    bench.queue.end();
    bench.queue.push(bench.command('g'));
    for (const name of ['e', 'f', 'g']) assert.deepEqual(bench.outcomes.get(name), [{ kind: 'unsent' }]);
  });

  it('drains: what takes a question away is written all the same, as soon as there is a place; a line that is full gives back what comes', async () => {
    const bench = new Bench();
    for (const name of ['a', 'b', 'c', 'd']) bench.queue.push(bench.command(name));
    const drained = bench.queue.drain();
    for (let i = 0; i < 31; i += 1) bench.queue.push(bench.command(`waits-${i}`));
    bench.queue.pushFirst(bench.command('clear'));
    assert.equal(bench.queue.push(bench.command('one-more')), true);
    assert.deepEqual(bench.outcomes.get('one-more'), [{ kind: 'unsent' }]);
    for (let i = 0; i < 5; i += 1) bench.ack();
    await drained;
    assert.deepEqual(
      bench.written.map(({ name }) => name),
      ['a', 'b', 'c', 'd', 'clear'],
    );
    bench.queue.end();
  });
});
