/** Requests written byte by byte, for what no HTTP client sends. */
import { once } from 'node:events';
import { connect } from 'node:net';

/** Writes raw bytes and reads until the server closes or `enough` has arrived. @param base URL of the server */
export function rawRequest(base: string, text: string, enough = /\r\n\r\n[^]+/): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1', () => socket.write(text));
    let got = '';
    socket.on('data', (data) => {
      got += data.toString();
      if (enough.test(got)) socket.destroy();
    });
    socket.on('close', () => resolve(got)).on('error', reject);
  });
}

/** A connection for several requests without a key, one after the other, each with an answer that has a body. */
export interface KeptConnection {
  /** @returns the whole answer @throws if the server closed the connection before it */
  get(): Promise<string>;
  closed: Promise<unknown>;
  end(): void;
}

export async function keptConnection(base: string): Promise<KeptConnection> {
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  return {
    async get() {
      socket.write('GET /v1/robots HTTP/1.1\r\nhost: x\r\n\r\n');
      let got = '';
      while (!/\r\n\r\n\{[^]*\}$/.test(got)) {
        const [data] = (await Promise.race([once(socket, 'data'), closed.then(() => [null])])) as [Buffer | null];
        if (data === null) throw new Error(`the connection was closed after ${JSON.stringify(got)}`);
        got += data.toString();
      }
      return got;
    },
    closed,
    end: () => socket.destroy(),
  };
}
