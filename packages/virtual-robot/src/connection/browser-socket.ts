/** A browser's WebSocket cannot set headers, so the token is sent as a second subprotocol. */

import { subprotocol, type OpenSocket } from './socket.js';

/** A browser cannot see why an upgrade was rejected: `closed` reports 1006, as for a failed connection. */
export const openInBrowser: OpenSocket = ({ url, token }, listener) => {
  const socket = new WebSocket(url, [subprotocol, `bearer.${token}`]);
  socket.binaryType = 'arraybuffer';
  let ended = false;
  const closed = (code: number, reason: string): void => {
    if (ended) return;
    ended = true;
    listener.closed(code, reason);
  };
  socket.addEventListener('open', () => listener.opened());
  socket.addEventListener('message', ({ data }: { data: unknown }) => {
    if (ended) return;
    if (typeof data === 'string') listener.text(data);
    else listener.binary(new Uint8Array(data as ArrayBuffer));
  });
  socket.addEventListener('close', ({ code, reason }) => closed(code, reason));
  return {
    send(data) {
      // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- the DOM's types are stricter than Node's
      if (socket.readyState === WebSocket.OPEN) socket.send(data as string | Uint8Array<ArrayBuffer>);
    },
    close: (code, reason) => socket.close(code, reason),
    terminate() {
      socket.close();
      // On a lost network the close handshake never completes, and a browser cannot abort a socket.
      queueMicrotask(() => closed(1006, 'terminated'));
    },
    pause: () => undefined,
    resume: () => undefined,
  };
};
