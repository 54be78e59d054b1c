/** A port nobody listens on. */
import { createServer } from 'node:net';

/** A TCP port that was free on 127.0.0.1 a moment ago. Somebody else may take it meanwhile: who starts a server on it must be ready to try another. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('a TCP server without a port');
  return address.port;
}
