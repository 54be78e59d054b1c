import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { sendPicture } from '../src/media/picture-sender.js';
import { RobotSocket } from '../src/connection/robot-socket.js';

describe('unread bytes of a robot', () => {
  const http = createServer();
  const server = new WebSocketServer({ server: http, WebSocket: RobotSocket, perMessageDeflate: false });
  let client: WebSocket;
  let robot: RobotSocket;
  beforeEach(async () => {
    if (!http.listening) await once(http.listen(0, '127.0.0.1'), 'listening');
    client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`);
    client.on('error', () => undefined);
    [robot] = (await once(server, 'connection')) as [RobotSocket];
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
});
