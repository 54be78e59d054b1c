import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** @returns `http://host:port` @throws if the address is taken or does not exist */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  return httpAddress(server.address());
}

/** Cuts off all connections, with the requests on them. */
export function closeNow(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

export function httpAddress(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('the server is not listening');
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
