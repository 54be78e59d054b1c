import { WebSocket } from 'ws';
import { subprotocol, type OpenSocket } from './socket.js';

/** Large enough to receive and report an oversized frame of the service. */
const maxPayload = 4 * 1024 * 1024;

/** @param tokenIn the header or, as browsers do, a second subprotocol */
export function openWith(tokenIn: 'header' | 'subprotocol'): OpenSocket {
  return ({ url, token }, listener) => {
    const socket =
      tokenIn === 'header'
        ? new WebSocket(url, [subprotocol], { headers: { authorization: `Bearer ${token}` }, ...wsOptions })
        : new WebSocket(url, [subprotocol, `bearer.${token}`], wsOptions);
    let refused = false;
    socket.on('open', () => listener.opened());
    socket.on('message', (data: Buffer, isBinary) => (isBinary ? listener.binary(data) : listener.text(data.toString('utf8'))));
    socket.on('unexpected-response', (request, response) => {
      refused = true;
      request.destroy();
      const mark = response.headers['perch-link'];
      listener.refused(response.statusCode ?? 0, typeof mark === 'string' ? mark : null);
    });
    let failure = '';
    // The close event that follows reports a failed dial. An address with several IP addresses fails with an error that has a code and no message.
    socket.on('error', (error: NodeJS.ErrnoException) => (failure = error.message || (error.code ?? '')));
    socket.on('close', (code, reason) => {
      if (!refused) listener.closed(code, reason.toString('utf8') || failure);
    });
    return {
      send(data) {
        // ws writes the header and the payload of a string as two chunks, but those of a buffer as one, which is cheaper.
        if (socket.readyState === WebSocket.OPEN)
          socket.send(typeof data === 'string' ? Buffer.from(data) : data, { binary: typeof data !== 'string' });
      },
      close: (code, reason) => socket.close(code, reason),
      terminate: () => socket.terminate(),
      pause: () => socket.pause(),
      resume: () => socket.resume(),
    };
  };
}

const wsOptions = { perMessageDeflate: false, maxPayload, handshakeTimeout: 10_000 };
