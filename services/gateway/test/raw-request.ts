/** Requests written byte by byte, for what no HTTP client sends. */
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
