import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { memoryUsage } from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { WebSocket, WebSocketServer } from 'ws';
import { sendPicture } from '../src/session/commands.js';
import { RobotSocket, type SocketEvents } from '../src/session/robot-socket.js';

describe('the socket of a robot', () => {
  const http = createServer();
  const server = new WebSocketServer({ server: http, WebSocket: RobotSocket, perMessageDeflate: false });
  let client: WebSocket;
  let robot: RobotSocket;
  beforeEach(async () => {
    if (!http.listening) await once(http.listen(0, '127.0.0.1'), 'listening');
    client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`);
    client.on('error', () => undefined);
    [[robot]] = (await Promise.all([once(server, 'connection'), once(client, 'open')])) as [[RobotSocket], []];
  });
  afterEach(() => client.terminate());
  after(() => {
    server.close();
    http.close();
  });
  /** The socket below, corked to simulate a kernel whose buffers are full. */
  const wire = (): Socket => (robot as unknown as { _socket: Socket })._socket;

  it('buffers four of the largest pictures and a sound for a robot', async () => {
    let received = 0;
    client.on('message', (data: Buffer) => (received += data.length - 8));
    wire().cork();
    const largest = Buffer.alloc(320 * 240 * 4);
    for (let stream = 0; stream < 4; stream += 1) sendPicture(robot, stream, largest, 4096);
    sendPicture(robot, 5, Buffer.alloc(192 * 1024), 4096);
    assert.equal(robot.readyState, WebSocket.OPEN);
    wire().uncork();
    while (received < 4 * largest.length + 192 * 1024) await once(client, 'message');
  });

  it('closes the connection of a robot with too many unread bytes', () => {
    wire().cork();
    for (let stream = 0; stream < 100 && robot.readyState === WebSocket.OPEN; stream += 1) sendPicture(robot, stream, Buffer.alloc(98_304), 4096);
    assert.notEqual(robot.readyState, WebSocket.OPEN);
  });

  it('counts a robot as stalled when no byte has left for longer than the slowest robot needs for all of them', () => {
    wire().cork();
    sendPicture(robot, 1, Buffer.alloc(98_304), 4096);
    assert.equal(robot.isStalled(0), false);
    assert.equal(robot.isStalled(44_000), false);
    assert.equal(robot.isStalled(46_000), true);
    wire().uncork();
  });

  it('passes messages, pings and the close to its events without listeners', async () => {
    const received: string[] = [];
    const events: SocketEvents = {
      message: (socket, data, isBinary) => received.push(`${isBinary ? 'binary' : 'text'} ${data.toString()} ${socket === robot}`),
      control: (_socket, data) => received.push(`control ${data.toString()}`),
      closed: (_socket, code) => received.push(`closed ${code}`),
    };
    robot.events = events;
    const plain = robot.eventNames();
    client.send('hello');
    client.send(Buffer.from('bytes'));
    client.ping('ping');
    while (received.length < 3) await once(client, 'pong');
    client.close(4000);
    await once(client, 'close');
    while (received.length < 4) await new Promise(setImmediate);
    assert.deepEqual(received, ['text hello true', 'binary bytes true', 'control ping', 'closed 4000']);
    // The server's own listener, which counts its clients.
    assert.deepEqual(plain, ['close']);
  });

  it('leaves a handled message to the next minor garbage collection, however long the robot then waits', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
    const received: number[] = [];
    robot.events = { message: (_socket, data) => void received.push(data.length), control() {}, closed() {} };
    const message = 'x'.repeat(20_000);
    const exchange = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) {
        received.length = 0;
        client.send(message);
        while (received.length === 0) await new Promise(setImmediate);
        // An object that survives two of them is in the old generation.
        for (let times = 0; times < 3; times++) collect({ type: 'minor' });
      }
    };
    await exchange(5);
    collect();
    const { arrayBuffers } = memoryUsage();
    await exchange(100);
    const kept = memoryUsage().arrayBuffers - arrayBuffers;
    assert.ok(kept < 20 * message.length, `${kept} bytes of messages are kept`);
  });

  it('needs no listener for errors: one closes the connection', async () => {
    const codes: number[] = [];
    const closed = new Promise<void>((resolve) => {
      robot.events = {
        message() {},
        control() {},
        closed: (_socket, code) => {
          codes.push(code);
          resolve();
        },
      };
    });
    // Bits of a frame that are reserved.
    (client as unknown as { _socket: Socket })._socket.write(Buffer.from([0xf1, 0x80, 0, 0, 0, 0]));
    const [code] = (await once(client, 'close')) as [number];
    await closed;
    assert.deepEqual([code, codes.length], [4400, 1]);
  });
});
