/** Thousands of robots connect again when a robot-link dies. Their handshakes must leave time for the robots that are connected. */
import { until } from '@perch/testkit';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Stage } from './stage.js';

const atOnceMax = 16;

interface Calls {
  count: number;
  inFlight: number;
  mostInFlight: number;
}

/** Counts the calls of a method, each of which waits for `hold` from now on. */
function counted<Name extends string>(owner: Record<Name, (...args: never[]) => Promise<unknown>>, name: Name, hold: () => Promise<unknown>): Calls {
  const calls: Calls = { count: 0, inFlight: 0, mostInFlight: 0 };
  const own = owner[name].bind(owner) as (...args: unknown[]) => Promise<unknown>;
  const replacement = async (...args: unknown[]): Promise<unknown> => {
    calls.count += 1;
    calls.inFlight += 1;
    calls.mostInFlight = Math.max(calls.mostInFlight, calls.inFlight);
    try {
      await hold();
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
    const lookups = counted(link.store.robots, 'byToken', () => sleep(5));
    const leases = counted(link.store.leases, 'take', () => sleep(5));
    const robots = await Promise.all(Array.from({ length: 60 }, () => stage.robot(link)));
    await Promise.all(robots.map(({ robot }) => robot.start()));
    assert.equal(link.app.sessionCount, robots.length);
    assert.deepEqual([lookups.count, leases.count], [60, 60]);
    assert.deepEqual(
      [lookups.mostInFlight, leases.mostInFlight].map((most) => most > 8 && most <= atOnceMax),
      [true, true],
    );
  });

  it('does not look up the token of a client whose connection broke before its turn', async () => {
    const link = await stage.instance();
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const lookups = counted(link.store.robots, 'byToken', () => held);
    const { hostname, port, pathname } = new URL(link.app.address);
    const sockets: Socket[] = Array.from({ length: 40 }, () => connect(Number(port), hostname));
    try {
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      for (const socket of sockets) {
        socket.on('error', () => undefined);
        socket.write(
          `GET ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n` +
            'sec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nsec-websocket-protocol: perch-link.v1\r\nauthorization: Bearer rt_nobody\r\n\r\n',
        );
      }
      await until(() => lookups.inFlight === atOnceMax);
      for (const socket of sockets) socket.resetAndDestroy();
      await sleep(200);
      goOn();
      await until(() => lookups.inFlight === 0);
      await sleep(50);
      assert.equal(lookups.count, atOnceMax);
    } finally {
      goOn();
      for (const socket of sockets) socket.destroy();
    }
  });
});
