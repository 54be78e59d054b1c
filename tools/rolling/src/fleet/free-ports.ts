/** HAProxy's configuration names servers before they start. */
import { createServer } from 'node:net';

/** Below the kernel's range of ephemeral ports, so that no outgoing connection takes them. */
const range = { from: 20_000, to: 32_000 } as const;
const triesMax = 200;

export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count; tries += 1) {
    if (tries > triesMax + count) throw new Error(`no ${count} free ports between ${range.from} and ${range.to}`);
    const port = range.from + Math.floor(Math.random() * (range.to - range.from));
    if (!ports.has(port) && (await isFree(port))) ports.add(port);
  }
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
