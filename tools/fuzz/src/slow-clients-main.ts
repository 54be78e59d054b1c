/** Process of the slow clients, separate so that its CPU use does not affect the measurements; controlled over IPC, ends with its parent. */
import { SlowClients, type SlowClientsPlan } from './slow/slow-clients.js';

let clients: SlowClients | null = null;

process.on('message', (message: { start?: SlowClientsPlan; readState?: true }) => {
  if (message.start !== undefined) clients = new SlowClients(message.start);
  if (message.readState !== undefined) process.send?.(clients?.state);
});
process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole process group; the parent stops this process.
process.on('SIGINT', () => {});
