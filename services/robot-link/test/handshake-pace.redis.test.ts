import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { useLinks } from './links-under-test.js';

const atOnceMax = 16;

interface Calls {
  count: number;
  inFlight: number;
  mostInFlight: number;
}

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

describe('concurrent handshakes', () => {
  const system = useLinks();

  it('keeps at most 16 token lookups and 16 leases in flight, and accepts every robot', async () => {
    const link = await system.instance();
    const lookups = counted(link.store.robots, 'byToken');
    const leases = counted(link.store.leases, 'take');
    const robots = await Promise.all(Array.from({ length: 60 }, () => system.robot(link)));
    await Promise.all(robots.map(({ robot }) => robot.start()));
    assert.equal(link.app.sessionCount, robots.length);
    assert.deepEqual([lookups.count, leases.count], [60, 60]);
    for (const { mostInFlight } of [lookups, leases]) assert.ok(mostInFlight <= atOnceMax, `${mostInFlight} in flight`);
  });
});
