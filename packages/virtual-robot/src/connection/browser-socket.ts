/** The link's socket in a page: its WebSocket, which can set no header, so that the token goes as a second subprotocol. */

import { subprotocol, type OpenSocket } from './socket.js';

/** A page cannot see why an upgrade was refused: that is told as `closed` with 1006, as no connection at all is. */
export const openInBrowser: OpenSocket = ({ url, token }, listener) => {
  const socket = new WebSocket(url, [subprotocol, `bearer.${token}`]);
  socket.binaryType = 'arraybuffer';
  let over = false;
  const closed = (code: number, reason: string): void => {
    if (over) return;
    over = true;
    listener.closed(code, reason);
  };
  socket.addEventListener('open', () => listener.opened());
  socket.addEventListener('message', ({ data }: { data: unknown }) => {
    if (over) return;
    if (typeof data === 'string') listener.text(data);
    else listener.binary(new Uint8Array(data as ArrayBuffer));
  });
  socket.addEventListener('close', ({ code, reason }) => closed(code, reason));
  return {
    send(data) {
      // A page's own types are stricter here than Node's.
      // oxlint-disable-next-line typescript/no-unnecessary-type-assertion
      if (socket.readyState === WebSocket.OPEN) socket.send(data as string | Uint8Array<ArrayBuffer>);
    },
    close: (code, reason) => socket.close(code, reason),
    terminate() {
      socket.close();
      // A lost network answers no close, and a page cannot let go without one.
      queueMicrotask(() => closed(1006, 'let go'));
    },
    // A page cannot hold a socket back.
    pause: () => undefined,
    resume: () => undefined,
  };
};
