import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that Linux and macOS give to outgoing connections, which could take the port of a server that restarts. */
const lowest = 10_240;
const highest = 32_767;

/** A TCP port of 127.0.0.1 that is free now. Another process may take it before its use, so the caller must be prepared to retry. */
export async function freePort(): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = randomInt(lowest, highest + 1);
    try {
      await listenOnce(port);
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || attempt === 100) throw error;
    }
  }
}

async function listenOnce(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}
