import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@perch/testkit';
import { WebSocket, WebSocketServer } from 'ws';
import type { Message } from '../src/robots/recorded-frames.js';
import { RecordingRelay } from '../src/robots/recording-relay.js';

/** Stands for the robot-link: greets whoever has the token. */
describe('RecordingRelay', () => {
  const http = createServer();
  const links = new WebSocketServer({ noServer: true });
  const seen: string[] = [];
  let relay: RecordingRelay;
  let link: WebSocket;
  const received: Message[] = [];
  const sent: Message[] = [];
  const closed: number[] = [];

  before(async () => {
    http.on('upgrade', (request: IncomingMessage, socket, head) => {
      // The relay may reset a connection that it was refused.
      socket.on('error', () => undefined);
      if (request.headers.authorization !== 'Bearer right') return socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
      links.handleUpgrade(request, socket, head, (opened) => {
        link = opened;
        link.on('message', (data: Buffer) => seen.push(data.toString('latin1')));
        link.send('{"t":"welcome","session":"s"}');
      });
    });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
  });
  beforeEach(async () => {
    for (const list of [seen, received, sent, closed]) list.length = 0;
    relay = await RecordingRelay.open();
    relay.record({
      url: () => `ws://127.0.0.1:${(http.address() as AddressInfo).port}`,
      received: (message) => received.push(message),
      sent: (message) => sent.push(message),
      closed: (connection) => closed.push(connection),
    });
  });
  afterEach(() => relay.close());
  after(() => {
    links.close();
    http.close();
  });

  const dial = (token: string): WebSocket => new WebSocket(relay.url, ['perch-link.v1'], { headers: { authorization: `Bearer ${token}` } });

  it('passes every frame on in both directions, also the first one, and records the messages that matter', async () => {
    const robot = dial('right');
    const texts: string[] = [];
    robot.on('message', (data: Buffer, isBinary) => texts.push(isBinary ? data.toString('hex') : data.toString()));
    await until(() => texts.length === 1);
    link.send(Buffer.from('00ff', 'hex'));
    link.send('{"t":"cmd","id":"c1"}');
    robot.send('{"t":"hello","boot_id":"b"}');
    robot.send('{"t":"sensors","values":{}}');
    robot.send('{"t":"ack","id":"c1","ok":true}');
    await until(() => texts.length === 3 && seen.length === 3);
    assert.deepEqual(texts, ['{"t":"welcome","session":"s"}', '00ff', '{"t":"cmd","id":"c1"}']);
    assert.deepEqual(
      [received.map(({ t }) => t), sent.map(({ t }) => t)],
      [
        ['welcome', 'cmd'],
        ['hello', 'ack'],
      ],
    );
  });

  it('refuses the robot with the status that the robot-link answers', async () => {
    const robot = dial('wrong').on('error', () => undefined);
    const [, response] = (await once(robot, 'unexpected-response')) as [unknown, IncomingMessage];
    assert.equal(response.statusCode, 401);
    robot.terminate();
  });

  it('closes the robot with the code and the reason of the robot-link, and the robot-link when the robot is gone', async () => {
    const robot = dial('right');
    await once(robot, 'message');
    link.close(4009, 'draining');
    const [code, reason] = (await once(robot, 'close')) as [number, Buffer];
    assert.deepEqual([code, reason.toString(), closed], [4009, 'draining', [1]]);

    const next = dial('right');
    await once(next, 'message');
    const gone = once(link, 'close');
    next.terminate();
    await gone;
    await until(() => closed.includes(2));
  });
});
