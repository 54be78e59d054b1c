/** Redis accepts no further connection, and ends those of services again and again. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { LocalRedis } from '@perch/local-redis';
import { defineFault } from '../define-fault.js';
import { aMaster, nameOf, servedTracks } from './redis-node.js';

export const maxClients = defineFault('max-clients', 'both', async ({ system }, random, undo) => {
  const server = await aMaster(system, random);
  // The connection that ends the fault is open before it begins.
  const admin = await openLine(server);
  undo.add(() => admin.close());
  undo.impair(...servedTracks(system));
  undo.add(() => admin.send('CONFIG SET maxclients 10000'));
  await admin.send('CONFIG SET maxclients 1');
  await admin.send('CLIENT KILL TYPE normal SKIPME yes');
  return { what: `${nameOf(server)} accepts no more clients`, holdMs: random.between(300, 4000) };
});

async function openLine(server: LocalRedis): Promise<{ send(command: string): Promise<void>; close(): void }> {
  const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  const send = async (command: string): Promise<void> => {
    if (socket.destroyed) return;
    socket.write(`${command}\r\n`);
    const [reply] = (await once(socket, 'data')) as [Buffer];
    if (reply.toString().startsWith('-')) throw new Error(`${nameOf(server)}: ${command}: ${reply.toString().trim()}`);
  };
  await send('AUTH admin any');
  return { send, close: () => socket.destroy() };
}
