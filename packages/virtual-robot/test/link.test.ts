import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LinkError, VirtualRobot } from '../src/index.js';
import { eventually, LinkServer } from '@perch/link-server';
import { fastClock, withRobot } from './connected-robot.js';

describe('the link of a virtual robot', () => {
  it(
    'sends the token in the header, and a hello with its model, features and screen',
    withRobot({ model: 'm', firmware: '9' }, async ({ robot, session }) => {
      const hello = session.hello;
      assert.equal(session.headers.authorization, 'Bearer rt_test');
      assert.equal(session.headers['sec-websocket-protocol'], 'perch-link.v1');
      assert.equal(session.headers['sec-websocket-extensions'], undefined);
      assert.ok(hello);
      assert.deepEqual([hello['v'], hello['model'], hello['firmware'], hello['dial'], hello['reason']], [[1], 'm', '9', 1, 'start']);
      assert.deepEqual(hello['showing'], { card: null, question: null, emotion: 'neutral', view: 'face' });
      assert.equal(hello['playing'], undefined);
      assert.equal(hello['boot_id'], robot.bootId);
      assert.deepEqual([robot.online, robot.session], [true, 's-1']);
    }),
  );

  it(
    'sends the token in a second subprotocol, like a browser, if configured',
    withRobot({ tokenIn: 'subprotocol' }, async ({ session }) => {
      assert.equal(session.headers.authorization, undefined);
      assert.equal(session.headers['sec-websocket-protocol'], 'perch-link.v1,bearer.rt_test');
    }),
  );

  it(
    'reports all readings at first, then only changed ones',
    withRobot({ welcome: { sensors_ms: 20 } }, async ({ robot, session }) => {
      robot.setReading('battery_pct', 12);
      robot.setReading('light_lux', null);
      const reports = await eventually(() => session.of('sensors').length >= 3 && session.of('sensors'));
      const [first, second] = reports.map(({ values }) => values as Record<string, unknown>);
      assert.ok(first && Object.keys(first).length > 30);
      assert.deepEqual([second?.['battery_pct'], second?.['light_lux']], [12, null]);
      assert.equal(second?.['wifi_ssid'], undefined);
    }),
  );

  it(
    'replies to pings, and sends pings',
    withRobot({ welcome: { ping_ms: 15 } }, async ({ session }) => {
      session.send({ t: 'ping' });
      await eventually(() => session.of('pong').length === 1);
      await eventually(() => session.of('ping').length >= 2);
    }),
  );

  it(
    'terminates the connection when the service sends nothing',
    withRobot({ silenceMs: 60, welcome: { ping_ms: 60_000 } }, async ({ server, session }) => {
      await server.session(2);
      assert.equal(session.closeCode, 1006);
    }),
  );

  it(
    'reconnects with the same boot id after a lost connection, and with a new one after a restart',
    withRobot({}, async ({ server, robot, session }) => {
      session.socket.terminate();
      const second = await server.session(2);
      assert.deepEqual([second.hello?.['boot_id'], second.hello?.['dial'], second.hello?.['reason']], [session.hello?.['boot_id'], 2, 'reconnect']);
      robot.restart();
      const third = await server.session(3);
      assert.notEqual(third.hello?.['boot_id'], session.hello?.['boot_id']);
      assert.deepEqual([third.hello?.['dial'], third.hello?.['reason']], [1, 'restart']);
    }),
  );

  it(
    'closes cleanly when stopped, and reconnects when started again',
    withRobot({}, async ({ server, robot, session }) => {
      await robot.stop();
      await eventually(() => session.closeCode === 1000);
      assert.equal(robot.lastClosed?.final, true);
      await robot.start();
      assert.equal((await server.session(2)).hello?.['reason'], 'reconnect');
    }),
  );

  it('keeps dialling while no server listens, and resolves start when one does', async () => {
    const server = await new LinkServer().start();
    const { url } = server;
    await server.stop();
    const robot = new VirtualRobot({ url, token: 't', reconnect: { minMs: 5, maxMs: 20 } });
    const started = robot.start();
    started.catch(() => undefined);
    await robot.until(({ dials }) => dials >= 3);
    await robot.stop();
    await assert.rejects(started, LinkError);
  });

  it('does not reconnect when its token is rejected', async () => {
    const server = await new LinkServer().start();
    server.tokens = new Set(['rt_other']);
    const robot = new VirtualRobot({ url: server.url, token: 'rt_test' });
    await assert.rejects(robot.start(), { status: 401 });
    assert.deepEqual([robot.lastClosed?.final, robot.lastClosed?.pair], [true, true]);
    await robot.stop();
    await server.stop();
  });

  /** Answers every upgrade with `status`, as a portal or a proxy between robot and service. */
  async function portal(status: number): Promise<{ url: string; stop(): Promise<void> }> {
    const server = createServer();
    server.on('upgrade', (_request, socket) => {
      // The robot resets the connection once it has read the status.
      socket.on('error', () => undefined);
      const html = '<html><body>Log in to the network</body></html>';
      socket.end(
        `HTTP/1.1 ${status} x\r\nlocation: http://portal.test/\r\nwww-authenticate: Basic\r\ncontent-type: text/html\r\ncontent-length: ${html.length}\r\n\r\n${html}`,
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return {
      url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/robot/v1/link`,
      stop: async () => void (await once(server.close(), 'close')),
    };
  }

  for (const status of [200, 302, 401])
    it(`dials on where a portal answers ${status}`, async () => {
      const { url, stop } = await portal(status);
      const robot = new VirtualRobot({ url, token: 'rt_test', reconnect: { minMs: 5, maxMs: 20 } });
      robot.start().catch(() => undefined);
      await robot.until(({ dials }) => dials >= 4);
      assert.deepEqual([robot.lastClosed?.status, robot.lastClosed?.final, robot.lastClosed?.pair], [status, false, false]);
      await robot.stop();
      await stop();
    });

  it('asks for a code after ten minutes of nothing but 401 without a mark, as a service of 0.10.0 answers, and dials on', async () => {
    const server = await new LinkServer().start();
    server.tokens = new Set(['rt_other']);
    server.marksRefusals = false;
    const clock = fastClock(500);
    const robot = new VirtualRobot({ url: server.url, token: 'rt_test', clock });
    const closed: { at: number; pair: boolean }[] = [];
    robot.on('closed', ({ pair }) => closed.push({ at: clock.now(), pair }));
    const started = robot.start();
    await robot.until(() => closed.at(-1)?.pair === true, { timeoutMs: 3_600_000 });
    const first = closed[0]!.at;
    for (const { at, pair } of closed) assert.equal(pair, at - first >= 600_000);
    assert.equal(robot.lastClosed?.final, false);
    server.tokens.add('rt_test');
    await started;
    await robot.stop();
    await server.stop();
  });

  for (const status of [200, 302, 400, 429, 502, 503])
    it(`dials on after ${status} at the upgrade, and follows no redirect`, async () => {
      const asked: string[] = [];
      const server = createServer();
      server.on('upgrade', ({ url }, socket) => {
        asked.push(url ?? '');
        // The robot resets the connection once it has read the status.
        socket.on('error', () => undefined);
        socket.end(`HTTP/1.1 ${status} x\r\nlocation: /sign-in\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const robot = new VirtualRobot({ url: `ws://127.0.0.1:${port}/robot/v1/link`, token: 't', reconnect: { minMs: 5, maxMs: 20 } });
      robot.start().catch(() => undefined);
      await robot.until(({ dials }) => dials >= 3);
      assert.deepEqual([robot.lastClosed?.status, robot.lastClosed?.final], [status, false]);
      assert.deepEqual([...new Set(asked)], ['/robot/v1/link']);
      await robot.stop();
      await new Promise((resolve) => server.close(resolve));
    });

  for (const code of [4003, 4010]) {
    it(
      `does not reconnect after ${code}`,
      withRobot({}, async ({ server, robot, session }) => {
        session.socket.close(code);
        await robot.until(({ lastClosed }) => lastClosed?.code === code);
        assert.deepEqual([robot.lastClosed?.final, robot.lastClosed?.retryMs], [true, null]);
        assert.equal(server.sessions.length, 1);
      }),
    );
  }

  it(
    'reconnects after 4009 within half of the first wait',
    withRobot({ reconnect: { minMs: 200, maxMs: 60_000 } }, async ({ server, robot, session }) => {
      session.socket.close(4009);
      await robot.until(({ lastClosed }) => lastClosed?.code === 4009);
      assert.ok((robot.lastClosed?.retryMs ?? 999) <= 100);
      await server.session(2);
    }),
  );

  it(
    'waits for the longest time after 4001',
    withRobot({ reconnect: { minMs: 1, maxMs: 60_000 } }, async ({ robot, session }) => {
      session.socket.close(4001);
      await robot.until(({ lastClosed }) => lastClosed?.code === 4001);
      assert.equal(robot.lastClosed?.retryMs, 60_000);
    }),
  );

  it('doubles its waits up to the longest, each varied by 30 %, and resets them after a long session', async () => {
    const server = await new LinkServer().start();
    const robot = new VirtualRobot({ url: server.url, token: 't', reconnect: { minMs: 4, maxMs: 20 } });
    const waits: number[] = [];
    robot.on('closed', ({ code, retryMs }) => void (code === 4008 && retryMs !== null && waits.push(retryMs)));
    await robot.start();
    for (let nth = 1; nth <= 5; nth += 1) {
      (await server.session(nth)).socket.close(4008);
      await eventually(() => waits.length === nth);
    }
    for (const [index, base] of [4, 8, 16, 20, 20].entries()) {
      const wait = waits[index] as number;
      assert.ok(wait >= base * 0.7 && wait <= base * 1.3, `wait ${index} is ${wait}`);
    }
    const calm = await server.session(6);
    await new Promise((resolve) => setTimeout(resolve, 60 * 4 + 20));
    calm.socket.close(4008);
    await eventually(() => waits.length === 6);
    assert.ok((waits[5] as number) <= 4 * 1.3);
    await robot.stop();
    await server.stop();
  });

  it(
    'records protocol violations of the service, and continues',
    withRobot({ clock: fastClock(1) }, async ({ robot, session }) => {
      session.socket.send('{');
      session.socket.send('[]');
      session.send({ t: 'cmd', id: 7 });
      session.send({ t: 'welcome', v: 1, session: 's', time_ms: 1, sensors_ms: 1, ping_ms: 1, in_ack: 0 });
      session.send({ t: 'in_ack', seq: 99 });
      session.send({ t: 'later_version', x: 'y'.repeat(17_000) });
      session.socket.send(Uint8Array.of(1, 2, 3));
      await robot.until(({ violations }) => violations.length === 7, { what: 'seven violations' });
      assert.equal((await session.run('head.move', { yaw: 3 }))['ok'], true);
    }),
  );
});
