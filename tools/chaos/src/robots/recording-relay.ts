/** Records every frame between a robot that is a process of its own and the robot-link: the robot dials the relay, and the relay dials the robot-link. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { linkOptions, readMessage, subprotocol, type FrameRecorder } from './recorded-frames.js';

const maxPayload = linkOptions.maxPayload;
/** The codes of a close frame that may be sent; others mean that the connection broke. */
const isSendable = (code: number): boolean => (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999);

export class RecordingRelay {
  readonly #server: Server = createServer();
  readonly #sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload, handleProtocols: () => subprotocol });
  #recorder: FrameRecorder | null = null;
  readonly #open = new Set<WebSocket>();
  #connections = 0;

  private constructor() {
    this.#server.on('upgrade', (request, socket, head) => this.#dial(request, socket, head));
  }

  static async open(): Promise<RecordingRelay> {
    const relay = new RecordingRelay();
    relay.#server.listen(0, '127.0.0.1');
    await once(relay.#server, 'listening');
    return relay;
  }

  /** For the robot. */
  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/robot/v1/link`;
  }

  /** Before the robot dials. */
  record(recorder: FrameRecorder): void {
    this.#recorder = recorder;
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Answers the robot as the robot-link answers. */
  #dial(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const connection = ++this.#connections;
    const { authorization } = request.headers;
    const link = new WebSocket(this.#recorder!.url(), [subprotocol], {
      ...linkOptions,
      ...(authorization === undefined ? {} : { headers: { authorization } }),
    });
    this.#keep(link);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      if (link.readyState === WebSocket.CONNECTING) link.terminate();
    });
    link.on('error', () => socket.destroy());
    link.once('unexpected-response', (dialed, { statusCode, statusMessage }) => {
      dialed.destroy();
      socket.end(`HTTP/1.1 ${statusCode} ${statusMessage}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    });
    link.once('open', () => {
      // Frames that the robot-link sends at once are held until the robot can read them.
      link.pause();
      this.#sockets.handleUpgrade(request, socket, head, (robot) => {
        this.#keep(robot);
        this.#join(robot, link, connection);
        link.resume();
      });
    });
  }

  #join(robot: WebSocket, link: WebSocket, connection: number): void {
    robot.on('error', () => undefined);
    robot.on('message', (data: Buffer, isBinary) => {
      if (link.readyState !== WebSocket.OPEN) return;
      const message = isBinary ? null : readMessage(data.toString('utf8'));
      if (message !== null) this.#recorder?.sent(message, connection);
      link.send(data, { binary: isBinary });
    });
    link.on('message', (data: Buffer, isBinary) => {
      if (robot.readyState !== WebSocket.OPEN) return;
      const message = isBinary ? null : readMessage(data.toString('utf8'));
      // Commands that were unread on a connection when the robot opened a newer one do not reach it.
      const reaches = connection === this.#connections || message?.t !== 'cmd';
      if (message !== null && reaches) this.#recorder?.received(message, connection);
      robot.send(data, { binary: isBinary });
    });
    robot.once('close', (code, reason) => pass(link, code, reason));
    link.once('close', (code, reason) => {
      this.#recorder?.closed(connection);
      pass(robot, code, reason);
    });
  }

  #keep(socket: WebSocket): void {
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
  }
}

/** Closes as the other side was closed. */
function pass(socket: WebSocket, code: number, reason: Buffer): void {
  if (isSendable(code)) socket.close(code, reason);
  else socket.terminate();
}
