/** Records every frame as it was transmitted, whatever the robot does with it. */
import type { LinkSocket, OpenSocket } from '@perch/virtual-robot';
import { WebSocket } from 'ws';
import { linkOptions, readMessage, subprotocol, type FrameRecorder } from './recorded-frames.js';

/** The recorder is called before the robot. Connections are numbered from 1. */
export function recordingSocket(recorder: FrameRecorder): OpenSocket {
  let connections = 0;
  return ({ token }, listener) => {
    const connection = ++connections;
    const socket = new WebSocket(recorder.url(), [subprotocol], { headers: { authorization: `Bearer ${token}` }, ...linkOptions });
    let refused = false;
    socket.on('open', () => listener.opened());
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) return listener.binary(data);
      const text = data.toString('utf8');
      const message = readMessage(text);
      // Commands that were unread on a connection when the robot opened a newer one do not reach it.
      const reaches = connection === connections || message?.t !== 'cmd';
      if (message !== null && reaches) recorder.received(message, connection);
      listener.text(text);
    });
    socket.on('unexpected-response', (request, response) => {
      refused = true;
      request.destroy();
      const mark = response.headers['perch-link'];
      listener.refused(response.statusCode ?? 0, typeof mark === 'string' ? mark : null);
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
      const message = typeof data === 'string' ? readMessage(data) : null;
      if (message !== null) recorder.sent(message, connection);
      socket.send(data);
    },
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  };
}
