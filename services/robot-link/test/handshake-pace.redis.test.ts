/** Thousands of robots connect again when a robot-link dies. Their handshakes must leave time for the robots that are connected. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Stage } from './stage.js';

const atOnceMax = 16;

interface Calls {
  count: number;
  inFlight: number;
  mostInFlight: number;
}

/** Counts the calls of a method, each of which takes at least 5 ms from now on. */
function counted<Name extends string>(owner: Record<Name, (...args: never[]) => Promise<unknown>>, name: Name): Calls {
  const calls: Calls = { count: 0, inFlight: 0, mostInFlight: 0 };
  const own = owner[name].bind(owner) as (...args: unknown[]) => Promise<unknown>;
  const replacement = async (...args: unknown[]): Promise<unknown> => {
    calls.count += 1;
    calls.inFlight += 1;
    calls.mostInFlight = Math.max(calls.mostInFlight, calls.inFlight);
    try {
      await sleep(5);
      return await own(...args);
    } finally {
      calls.inFlight -= 1;
    }
  };
  Object.assign(owner, { [name]: replacement });
  return calls;
}

describe('many handshakes at once', () => {
  let stage: Stage;
  before(async () => (stage = await Stage.open()));
  after(() => stage.close());

  it('looks up at most 16 tokens and takes at most 16 leases at a time, and accepts every robot', async () => {
    const link = await stage.instance();
    const lookups = counted(link.store.robots, 'byToken');
    const leases = counted(link.store.leases, 'take');
    const robots = await Promise.all(Array.from({ length: 60 }, () => stage.robot(link)));
    await Promise.all(robots.map(({ robot }) => robot.start()));
    assert.equal(link.app.sessionCount, robots.length);
    assert.deepEqual([lookups.count, leases.count], [60, 60]);
    for (const { mostInFlight } of [lookups, leases]) assert.ok(mostInFlight <= atOnceMax, `${mostInFlight} in flight`);
  });
});
