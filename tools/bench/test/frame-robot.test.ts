import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { until } from '@perch/testkit';
import { WebSocketServer, type WebSocket } from 'ws';
import { FrameRobot } from '../src/robots/frame-robot.js';
import { sharedNow } from '../src/shared-clock.js';

const part = (isLast: boolean, bytes: number): Buffer => Buffer.concat([Buffer.from([1, isLast ? 2 : 0, 0, 1, 0, 0, 0, 0]), Buffer.alloc(bytes)]);

describe('a robot of the bench', () => {
  let server: WebSocketServer;
  let link: WebSocket;
  let received: Record<string, any>[];
  before(async () => {
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    server.on('connection', (socket) => {
      link = socket;
      socket.on('message', (data: Buffer) => {
        const frame = JSON.parse(data.toString()) as Record<string, any>;
        received.push(frame);
        if (frame['t'] === 'hello') socket.send('{"t":"welcome"}');
      });
    });
    await once(server, 'listening');
  });
  beforeEach(() => {
    received = [];
  });
  after(() => server.close());

  const dial = (formats?: string[]): Promise<FrameRobot> => {
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return FrameRobot.dial({ url, robot: 'r-1', token: 'rt_1' }, formats);
  };

  it('names the formats that it reads', async () => {
    (await dial()).close();
    (await dial(['png8', 'png'])).close();
    assert.deepEqual(
      received.map((frame) => frame['screen'].formats),
      [
        ['png', 'jpeg'],
        ['png8', 'png'],
      ],
    );
  });

  it('notes when the last byte of a picture was there and how many there were, acks it then, and taps an answer to a question', async () => {
    const robot = await dial();
    try {
      const before = sharedNow();
      link.send(JSON.stringify({ t: 'cmd', id: 'c1', name: 'screen.show', args: { layer: 'question' } }));
      link.send(part(false, 100));
      await until(() => received.length === 1);
      assert.equal(robot.body.pictures.length, 0);
      link.send(part(true, 23));
      await until(() => received.length === 4);
      const [picture, ...others] = robot.body.pictures;
      assert.deepEqual([picture?.bytes, others], [123, []]);
      assert.ok(picture!.at >= before && picture!.at <= sharedNow());
      assert.deepEqual(
        received.slice(1).map((frame) => frame['id'] ?? frame['kind']),
        ['c1', 'touch_down', 'touch_up'],
      );
      link.send(JSON.stringify({ t: 'cmd', id: 'c2', name: 'screen.show', args: { layer: 'card' } }));
      link.send(part(true, 7));
      await until(() => robot.body.pictures.length === 2);
      assert.equal(robot.body.pictures[1]!.bytes, 7, 'the bytes of the first are not counted again');
    } finally {
      robot.close();
    }
  });
});
