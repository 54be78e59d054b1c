/** Sentences of docs/robot-link.md on the order of frames, held over a real socket by a robot that acks only what the test tells it to. */
import assert from 'node:assert/strict';
import { decodeFrame } from '@perch/schema';
import { StoreError } from '@perch/store';
import { until } from '@perch/testkit';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { hello, opened, protocol } from './dial.js';
import { useLink, useLinks, leftHalf, rightHalf, type TestRobot } from './links-under-test.js';
import { OwnClockRobot } from './own-clock-robot.js';
import { SessionUnderTest, settled as allSettled } from './session-under-test.js';

interface Cmd {
  t: 'cmd';
  id: string;
  name: string;
  args: Record<string, unknown>;
  ttl_ms: number;
}
interface Part {
  t: 'part';
  kind: 'picture' | 'audio';
  stream: number;
  offset: number;
  first: boolean;
  last: boolean;
  bytes: number;
}
type Received = Cmd | Part | { t: 'welcome' | 'in_ack' | 'ping' };

const bufferBytes = 8192;
const streams = 65_536;

class SilentRobot {
  readonly id: string;
  readonly #token: string;
  /** In the order of arrival, of all connections. */
  readonly received: Received[] = [];
  #socket!: WebSocket;
  #dials = 0;

  constructor({ robot: id, token }: { robot: string; token: string }) {
    this.id = id;
    this.#token = token;
  }

  async connect(url: string, fields: object = {}): Promise<void> {
    this.#socket = await opened(url, this.#token);
    this.#socket.on('message', (data: Buffer, isBinary: boolean) =>
      this.received.push(isBinary ? partOf(data) : (JSON.parse(String(data)) as Received)),
    );
    this.#dials += 1;
    const screen = { w: 320, h: 240, formats: ['png'], max_bytes: 98_304 };
    const audio = { formats: ['pcm_s16le'], rates: [16_000], buffer_bytes: bufferBytes, max_part_bytes: 4096 };
    this.send({ ...hello, dial: this.#dials, features: ['screen', 'face', 'speaker'], screen, audio, ...fields });
    await until(() => this.received.filter(({ t }) => t === 'welcome').length === this.#dials, { what: 'a welcome' });
  }

  async disconnect(): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.terminate();
    await closed;
  }

  send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  ack({ id }: Cmd, more: object = { ok: true, result: {} }): void {
    this.send({ t: 'ack', id, ms: 1000, ...more });
  }

  get commands(): Cmd[] {
    return this.received.filter((message) => message.t === 'cmd');
  }

  get parts(): Part[] {
    return this.received.filter((message) => message.t === 'part');
  }

  async command(nth: number): Promise<Cmd> {
    return until(() => this.commands[nth - 1], { what: `command ${nth}` });
  }

  async sent(stream: unknown, bytes: number): Promise<void> {
    const end = (): number => Math.max(0, ...this.parts.filter((part) => part.stream === stream).map((part) => part.offset + part.bytes));
    await until(() => end() >= bytes, { what: `${bytes} bytes of stream ${String(stream)}` });
    assert.equal(end(), bytes);
  }
}

function partOf(data: Buffer): Part {
  const frame = decodeFrame(data);
  assert.ok(!('problem' in frame));
  const { payload, ...rest } = frame;
  return { t: 'part', ...rest, bytes: payload.length };
}

describe('the contract of the robot link', () => {
  const system = useLinks();
  const link = useLink(system);
  const face = { name: 'face', args: { emotion: 'happy' } };

  const connected = async (): Promise<SilentRobot> => {
    const robot = new SilentRobot(await system.store.robots.create({ account: system.account }));
    await robot.connect(link.app.address);
    return robot;
  };
  const call = ({ id }: SilentRobot, ...more: [Parameters<typeof system.gateway.command>[1], { ttlMs?: number }?]) =>
    system.gateway.command({ id } as TestRobot, ...more);
  /** Resolves when the robot-link has read and written everything before a command that is acked. */
  const settled = async (robot: SilentRobot): Promise<void> => {
    const nth = robot.commands.length + 1;
    const reply = call(robot, face);
    robot.ack(await robot.command(nth));
    assert.equal((await reply).t, 'ack');
  };
  const play = async (robot: SilentRobot, seconds: number): Promise<{ cmd: Cmd; reply: ReturnType<typeof call> }> => {
    const nth = robot.commands.length + 1;
    const reply = call(robot, { name: 'audio.play', args: {}, sound: (await system.sound(seconds)).ref });
    return { cmd: await robot.command(nth), reply };
  };

  it('sends the parts of a picture directly after its command, and the first parts of a sound, before any of 4 commands is acked', async () => {
    const robot = await connected();
    const replies: ReturnType<typeof call>[] = [];
    for (const [nth, layerId] of [
      [1, 'a'],
      [2, 'b'],
    ] as const) {
      const attachments = [{ path: [], picture: await system.picture(9000) }];
      replies.push(call(robot, { name: 'screen.show', args: { layer: 'card', id: layerId }, attachments }));
      await robot.sent((await robot.command(nth)).args['stream'], 9000);
    }
    const sound = await play(robot, 2);
    await robot.sent(sound.cmd.args['stream'], bufferBytes);
    replies.push(sound.reply, call(robot, face));
    await robot.command(4);
    const told = robot.received
      .filter(({ t }) => t === 'cmd' || t === 'part')
      .map((frame) => (frame.t === 'part' ? frame.kind : (frame as Cmd).name));
    const picture = ['screen.show', 'picture', 'picture', 'picture'];
    assert.deepEqual(told, [...picture, ...picture, 'audio.play', 'audio', 'audio', 'face']);
    for (const cmd of robot.commands) robot.ack(cmd);
    for (const reply of replies) assert.equal((await reply).t, 'ack');
  });

  it('numbers pictures and sounds of a connection in one sequence', async () => {
    const robot = await connected();
    const numbers: number[] = [];
    for (let nth = 1; nth <= 4; nth += 1) {
      const attachments = [{ path: [], picture: await system.picture(500) }];
      const isSound = nth % 2 === 0;
      const reply = isSound ? (await play(robot, 0.1)).reply : call(robot, { name: 'screen.show', args: { layer: 'card', id: 'a' }, attachments });
      const cmd = await robot.command(nth);
      numbers.push(cmd.args['stream'] as number);
      robot.ack(cmd);
      if (isSound) robot.send({ t: 'play_done', stream: cmd.args['stream'], reason: 'end' });
      await reply;
    }
    assert.deepEqual(
      numbers,
      numbers.map((_, i) => (numbers[0]! + i) % streams),
    );
  });

  it('goes from stream 65,535 on to 0, and leaves out the number of the sound that plays', async () => {
    const playing = 7;
    const perCommand = 1024;
    const robot = new SessionUnderTest();
    const { session, frames } = robot;
    session.commands.soundStream = playing;
    const [attachment] = robot.command('picture', true).attachments!;
    for (let i = 0; i < streams / perCommand; i += 1) {
      session.commands.push({ ...robot.command('screen.show'), attachments: Array.from({ length: perCommand }, () => attachment!) });
      await allSettled();
      robot.ack();
    }
    session.onClosed(1000);
    const taken = frames.map((frame) => (decodeFrame(frame) as { stream: number }).stream);
    assert.equal(taken.length, streams);
    const after = (stream: number): number => ((stream + 1) % streams === playing ? playing + 1 : (stream + 1) % streams);
    assert.ok(taken.every((stream, i) => stream !== playing && (i === 0 || stream === after(taken[i - 1]!))));
    assert.ok(taken.includes(streams - 1) && taken.includes(0));
  });

  it('after a reconnect sends nothing of a sound before the first flow message, and goes on at its received', async () => {
    const robot = await connected();
    const { cmd, reply } = await play(robot, 2);
    const { stream, id } = cmd.args;
    await robot.sent(stream, bufferBytes);
    robot.ack(cmd);
    await reply;
    await until(async () => (await system.store.connections.commands.exists(`perch:{${robot.id}}:playing`)) === 1);
    await robot.disconnect();
    const before = robot.parts.length;
    await robot.connect(link.app.address, { reason: 'reconnect', playing: { stream, id, received: 5000 } });
    await settled(robot);
    assert.equal(robot.parts.length, before);
    robot.send({ t: 'flow', stream, received: 6000, free: 4000, played_ms: 0 });
    await robot.sent(stream, 10_000);
    assert.deepEqual([robot.parts[before]!.offset, robot.parts[before]!.first], [6000, false]);
  });

  it('sends nothing more of a sound that the hello after a reconnect does not name', async () => {
    const robot = await connected();
    const { cmd, reply } = await play(robot, 2);
    const { stream } = cmd.args;
    await robot.sent(stream, bufferBytes);
    robot.ack(cmd);
    await reply;
    await robot.disconnect();
    const before = robot.parts.length;
    await robot.connect(link.app.address, { reason: 'reconnect' });
    robot.send({ t: 'flow', stream, received: bufferBytes, free: bufferBytes, played_ms: 0 });
    await settled(robot);
    assert.equal(robot.parts.length, before);
    assert.ok(!robot.commands.some(({ name }) => name === 'audio.stop'));
  });

  it('neither repeats a command after a reconnect nor reads an ack of the connection before, and sends no rest of a picture', async () => {
    const robot = await connected();
    const attachments = [{ path: [], picture: await system.picture(9000) }];
    const reply = call(robot, { name: 'screen.show', args: { layer: 'card', id: 'a' }, attachments });
    const cmd = await robot.command(1);
    await robot.disconnect();
    const lost = await reply;
    assert.equal(lost.t === 'nack' && lost.code, 'outcome_unknown');
    const before = robot.parts.length;
    await robot.connect(link.app.address, { reason: 'reconnect' });
    robot.ack(cmd);
    await settled(robot);
    assert.deepEqual(
      robot.commands.map(({ name }) => name),
      ['screen.show', 'face'],
    );
    assert.notEqual(robot.commands[1]!.id, cmd.id);
    assert.equal(robot.parts.length, before);
  });

  it('does not draw a card again on a robot that restarted without it', async () => {
    const made = await system.started(link);
    const attachments = [{ path: [], picture: await system.picture() }];
    await system.gateway.command(made, { name: 'screen.show', args: { layer: 'card', id: 'a' }, attachments });
    const before = made.robot.session;
    made.robot.restart();
    await made.robot.until(({ online, session }) => online && session !== before);
    await until(async () => (await system.store.leases.find(made.id)).session === made.robot.session);
    assert.equal((await system.gateway.command(made, face)).t, 'ack');
    assert.deepEqual(
      made.robot.commands.map(({ name }) => name),
      ['screen.show', 'face'],
    );
  });

  it('answers a sound as replaced without its ack, and its later ack and play_done do not touch the sound that replaced it', async () => {
    const robot = await connected();
    const first = await play(robot, 2);
    const second = await play(robot, 2);
    assert.equal((await first.reply).t, 'replaced');
    robot.ack(first.cmd);
    robot.send({ t: 'play_done', stream: first.cmd.args['stream'], reason: 'stopped' });
    robot.ack(second.cmd);
    assert.equal((await second.reply).t, 'ack');
    robot.send({ t: 'flow', stream: second.cmd.args['stream'], received: bufferBytes, free: bufferBytes, played_ms: 256 });
    await robot.sent(second.cmd.args['stream'], 2 * bufferBytes);
  });

  it('a replaced sound without an ack keeps one of the 4 places in flight', async () => {
    const robot = await connected();
    const sounds = [await play(robot, 2), await play(robot, 2), await play(robot, 2), await play(robot, 2)];
    const next = call(robot, face);
    for (const { reply } of sounds.slice(0, 3)) assert.equal((await reply).t, 'replaced');
    assert.equal(robot.commands.length, 4);
    robot.ack(sounds[0]!.cmd);
    robot.ack(await robot.command(5));
    assert.equal((await next).t, 'ack');
  });

  it('sends no part of a sound after audio.stop, whatever flow says, and a play that was stopped before its first sample is answered by its ack', async () => {
    const robot = await connected();
    const { cmd, reply } = await play(robot, 2);
    const { stream } = cmd.args;
    await robot.sent(stream, bufferBytes);
    const stop = call(robot, { name: 'audio.stop', args: {} });
    robot.ack(await robot.command(2));
    robot.send({ t: 'flow', stream, received: bufferBytes, free: bufferBytes, played_ms: 0 });
    robot.ack(cmd);
    robot.send({ t: 'play_done', stream, reason: 'stopped' });
    assert.deepEqual([(await stop).t, (await reply).t], ['ack', 'ack']);
    await settled(robot);
    await robot.sent(stream, bufferBytes);
  });

  it('stops a sound that the robot refused, but none for the refusal of a sound that was replaced', async () => {
    const robot = await connected();
    const first = await play(robot, 2);
    const second = await play(robot, 2);
    const refusal = { ok: false, code: 'hardware', error: 'no amplifier' };
    robot.ack(first.cmd, refusal);
    await settled(robot);
    assert.ok(!robot.commands.some(({ name }) => name === 'audio.stop'));
    robot.ack(second.cmd, refusal);
    const reply = await second.reply;
    assert.equal(reply.t === 'nack' && reply.code, 'robot_hardware');
    assert.equal((await robot.command(4)).name, 'audio.stop');
  });

  for (const code of ['bad_args', 'unknown', 'busy', 'card_showing', 'hardware', 'another_one'])
    it(`does not send a command again that the robot refused with ${code}`, async () => {
      const robot = await connected();
      const reply = call(robot, face);
      robot.ack(await robot.command(1), { ok: false, code, error: 'no' });
      const refused = await reply;
      assert.equal(refused.t, 'nack');
      if (code === 'another_one') assert.equal(refused.code, 'robot_hardware');
      await settled(robot);
      assert.equal(robot.commands.length, 2);
    });

  it('says in ttl_ms what is left of the time when it writes, answers no_ack if the robot is silent, and ignores a late ack', async () => {
    const robot = await connected();
    const reply = call(robot, face, { ttlMs: 300 });
    const cmd = await robot.command(1);
    assert.ok(cmd.ttl_ms >= 1 && cmd.ttl_ms <= 300, String(cmd.ttl_ms));
    const none = await reply;
    assert.equal(none.t === 'nack' && none.code, 'no_ack');
    robot.ack(cmd);
    await settled(robot);
    assert.equal(robot.commands.length, 2);
  });

  it('reads an ack up to 1 s after ttl_ms as the outcome', async () => {
    const robot = await connected();
    const reply = call(robot, face, { ttlMs: 50 });
    const cmd = await robot.command(1);
    await until(() => new Promise((resolve) => setTimeout(resolve, 100, true)));
    robot.ack(cmd);
    assert.equal((await reply).t, 'ack');
  });

  it('answers no question with a touch held for 39 ms, which is a tap, but with one of 40 ms', async () => {
    const { robot: id, token } = await system.store.robots.create({ account: system.account });
    const own = new OwnClockRobot();
    await own.connect(link.app.address, token);
    const wait = { kind: 'ask' as const, targets: [leftHalf, rightHalf], picture: await system.picture(500), consent: { by: 'one' } };
    const { number } = await system.gateway.wait({ id } as TestRobot, wait);
    const read = () => system.store.waits.read(id, number);
    await until(async () => (await read())?.armed?.bootId, { what: 'the wait to be armed' });
    await own.shows('question', `w${number}`);
    own.touch(own.ms + 2000, { heldMs: 39 });
    await until(async () => (await system.store.events.read(id, {})).events.some(({ name }) => name === 'tap'), { what: 'a tap' });
    assert.equal((await read())?.outcome, null);
    own.touch(own.ms + 10, { heldMs: 40 });
    await until(async () => (await read())?.outcome?.outcome === 'answered', { what: 'an answer' });
  });

  describe('at the upgrade', () => {
    const refusal = (headers: Record<string, string>, path = ''): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        const upgrade = {
          connection: 'upgrade',
          upgrade: 'websocket',
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
          'sec-websocket-version': '13',
        };
        const url = link.app.address.replace('ws:', 'http:') + path;
        const asked = request(url, { headers: { ...upgrade, 'sec-websocket-protocol': protocol, ...headers } }, resolve);
        asked.on('upgrade', (_response, socket) => {
          socket.destroy();
          reject(new Error('not refused'));
        });
        asked.on('error', reject);
        asked.end();
      });
    const tokenOf = async (): Promise<string> => (await system.store.robots.create({ account: system.account })).token;

    it('answers 400 without retry-after to a query or a missing subprotocol', async () => {
      const authorization = `Bearer ${await tokenOf()}`;
      for (const response of [await refusal({ authorization }, '?a=1'), await refusal({ authorization, 'sec-websocket-protocol': 'other' })]) {
        response.resume();
        assert.deepEqual([response.statusCode, response.headers['retry-after']], [400, undefined]);
      }
    });

    it('answers 401 with perch-link: pair and www-authenticate: Bearer to a token that is not valid', async () => {
      const response = await refusal({ authorization: 'Bearer rt_wrong' });
      response.resume();
      const { statusCode, headers } = response;
      assert.deepEqual([statusCode, headers['perch-link'], headers['www-authenticate']], [401, 'pair', 'Bearer']);
    });

    it('answers 429 with retry-after to the 101st connection of a robot in 10 s', async () => {
      const token = await tokenOf();
      for (let i = 0; i < 100; i += 1) (await opened(link.app.address, token)).terminate();
      const response = await refusal({ authorization: `Bearer ${token}` });
      response.resume();
      assert.equal(response.statusCode, 429);
      const waitS = Number(response.headers['retry-after']);
      assert.ok(waitS >= 1 && waitS <= 10, String(waitS));
    });

    it('answers 503 with retry-after, and not 401, while it cannot look the token up', async () => {
      const { robots } = link.store;
      const { byToken } = robots;
      robots.byToken = () => Promise.reject(new StoreError('unavailable', 'Redis: Connection is closed.'));
      try {
        const response = await refusal({ authorization: `Bearer ${await tokenOf()}` });
        response.resume();
        assert.deepEqual([response.statusCode, response.headers['retry-after']], [503, '1']);
      } finally {
        robots.byToken = byToken;
      }
    });
  });
});
