/** Tests the robot for browsers with `ws`, which has the interface of their WebSocket. test-e2e/browser runs it in a browser. */

import assert from 'node:assert/strict';
import { WebSocket } from 'ws';
import { BrowserRobot, type Closed, type Sound } from '../src/browser.js';
import { eventually, LinkServer } from '@perch/link-server';
import { bytes, fastClock } from './connected-robot.js';

/** A page's has no listener of errors to miss. */
class PageSocket extends WebSocket {
  constructor(url: string, protocols: string[]) {
    super(url, protocols);
    this.on('error', () => undefined);
  }
}

const globals = globalThis as { WebSocket?: unknown };

describe('a virtual robot in a browser', () => {
  const native = globals.WebSocket;
  let server: LinkServer;
  let robot: BrowserRobot;

  before(() => (globals.WebSocket = PageSocket));
  after(() => (globals.WebSocket = native));

  beforeEach(async () => {
    server = await new LinkServer().start();
    robot = new BrowserRobot({ url: server.url, token: 'rt_page', reconnect: { minMs: 20, maxMs: 200 }, instant: true });
  });

  afterEach(async () => {
    await robot.stop();
    await server.stop();
  });

  it('offers its token as a second subprotocol, and accepts the first', async () => {
    server.tokens = new Set(['rt_page']);
    await robot.start();
    const { headers } = await server.session(1);
    assert.deepEqual([headers['authorization'], headers['sec-websocket-protocol']], [undefined, 'perch-link.v1,bearer.rt_page']);
  });

  it('shows a picture received in parts, and reports raw input', async () => {
    await robot.start();
    const session = await server.session(1);
    const picture = bytes(9000);
    const command = session.show('card', 'k1', picture);
    assert.equal((await session.ack(command))['ok'], true);
    assert.deepEqual(robot.screen.card?.picture, picture);
    robot.touchDown(10, 20);
    robot.touchUp(10, 20, 90.4);
    robot.headDown(0);
    robot.headSwipe(2, 'back');
    robot.headUp(2, 450);
    robot.powerKey(1200);
    const inputs = await eventually(() => session.of('in').length === 6 && session.of('in'));
    assert.deepEqual(
      inputs.map(({ t: _t, seq: _seq, ms: _ms, ...input }) => input),
      [
        { kind: 'touch_down', x: 10, y: 20 },
        { kind: 'touch_up', x: 10, y: 20, held_ms: 90 },
        { kind: 'head_down', zone: 0 },
        { kind: 'head_swipe', zone: 2, dir: 'back' },
        { kind: 'head_up', zone: 2, held_ms: 450 },
        { kind: 'power_key', held_ms: 1200 },
      ],
    );
  });

  it('emits events while it receives a sound, and returns the samples from any byte on', async () => {
    const { robot: player, session } = await online({ clock: fastClock(4) });
    const pcm = bytes(40_000);
    const heard: [Sound, number][] = [];
    player.on('samples', (sound) => heard.push([sound, sound.received]));
    session.cmd('audio.play', { stream: 3, id: 's', format: 'pcm_s16le', rate: 16_000, bytes: pcm.byteLength });
    session.parts('audio', 3, pcm);
    await eventually(() => heard.at(-1)?.[1] === pcm.byteLength);
    assert.equal(heard.length, Math.ceil(pcm.byteLength / 4096));
    for (const from of [0, 4095, 4096, 39_999, 40_000]) assert.deepEqual(heard[0]![0].pcmFrom(from), pcm.subarray(from));
    await player.stop();
  });

  it('keeps the last reported readings, for its own screen', async () => {
    await robot.start();
    const session = await server.session(1);
    const [report] = await eventually(() => session.of('sensors').length > 0 && session.of('sensors'));
    assert.deepEqual(robot.sensors.latest, report?.['values']);
  });

  it('reconnects when the connection is lost, and when the upgrade is rejected, because a browser cannot see why', async () => {
    server.tokens = new Set();
    const ends: Closed[] = [];
    robot.on('closed', (end) => ends.push(end));
    const started = robot.start();
    await eventually(() => ends.length >= 2);
    assert.deepEqual([ends[0]?.code, ends[0]?.status, ends[0]?.final], [1006, null, false]);
    server.tokens = null;
    await started;
    (await server.session(1)).socket.terminate();
    await robot.until(({ online, dials }) => online && dials > ends.length);
  });

  it('does not reconnect when its token was revoked', async () => {
    await robot.start();
    (await server.session(1)).socket.close(4003, 'revoked');
    await robot.until(({ lastClosed }) => lastClosed?.code === 4003);
    assert.deepEqual([robot.lastClosed?.final, robot.lastClosed?.retryMs], [true, null]);
  });

  it('ends a silent connection without waiting for its close', async () => {
    const { robot: silent, session } = await online({ silenceMs: 300, reconnect: { minMs: 5000, maxMs: 5000 } });
    session.socket.pause();
    await silent.until(({ lastClosed }) => lastClosed?.code === 1006);
    await silent.stop();
  });

  async function online(options: Partial<ConstructorParameters<typeof BrowserRobot>[0]>) {
    const other = new BrowserRobot({ url: server.url, token: 'rt_page', ...options });
    await other.start();
    return { robot: other, session: await server.session(1) };
  }
});
