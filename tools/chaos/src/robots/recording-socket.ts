/** Records every frame as it was transmitted, whatever the robot does with it. */
import type { LinkSocket, OpenSocket } from '@perch/virtual-robot';
import { WebSocket } from 'ws';

export type Message = Readonly<Record<string, unknown>> & { readonly t: string };

export interface FrameRecorder {
  url(): string;
  received(message: Message, connection: number): void;
  sent(message: Message, connection: number): void;
  closed(connection: number): void;
}

const subprotocol = 'perch-link.v1';
const options = { perMessageDeflate: false, maxPayload: 4 * 1024 * 1024, handshakeTimeout: 5000 };
/** Not readings, pings and flow reports. */
const recordedTypes = new Set(['hello', 'welcome', 'cmd', 'ack', 'in', 'in_ack']);

/** The recorder is called before the robot. Connections are numbered from 1. */
export function recordingSocket(recorder: FrameRecorder): OpenSocket {
  let connections = 0;
  return ({ token }, listener) => {
    const connection = ++connections;
    const socket = new WebSocket(recorder.url(), [subprotocol], { headers: { authorization: `Bearer ${token}` }, ...options });
    let refused = false;
    socket.on('open', () => listener.opened());
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) return listener.binary(data);
      const text = data.toString('utf8');
      const message = read(text);
      // Commands that were unread on a connection when the robot opened a newer one do not reach it.
      const reaches = connection === connections || message?.t !== 'cmd';
      if (message !== null && reaches) recorder.received(message, connection);
      listener.text(text);
    });
    socket.on('unexpected-response', (request, response) => {
      refused = true;
      request.destroy();
      listener.refused(response.statusCode ?? 0);
    });
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => {
      recorder.closed(connection);
      if (!refused) listener.closed(code, reason.toString('utf8'));
    });
    return linkSocket(socket, recorder, connection);
  };
}

function linkSocket(socket: WebSocket, recorder: FrameRecorder, connection: number): LinkSocket {
  return {
    send(data) {
      if (socket.readyState !== WebSocket.OPEN) return;
      const message = typeof data === 'string' ? read(data) : null;
      if (message !== null) recorder.sent(message, connection);
      socket.send(data);
    },
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  };
}

function read(text: string): Message | null {
  // Check cheaply first: a flood sends thousands of readings.
  if (text.startsWith('{"t":"sensors"') || text.length > 20_000) return null;
  try {
    const message = JSON.parse(text) as Message | null;
    return message !== null && typeof message === 'object' && recordedTypes.has(message.t) ? message : null;
  } catch {
    return null;
  }
}
