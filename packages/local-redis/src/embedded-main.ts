/**
 * Process of the embedded Redis: `embedded-main PORT`. Reports its port over IPC, and stops when the channel closes. Assembled from the parts of js-
 * redis-server, because its complete server listens on every interface.
 */
import { createServer, type Socket } from 'node:net';
import {
  attachSession,
  createRedisCommandExecutor,
  RedisServerState,
  resolveCompatibilityProfile,
  SocketConnectionTransport,
} from 'js-redis-server/core';

const compatibility = resolveCompatibilityProfile('redis-7.0');
const state = new RedisServerState({ databaseCount: 16, compatibility });
const executor = createRedisCommandExecutor({ compatibility });
const sockets = new Set<Socket>();

const server = createServer({ keepAlive: true, noDelay: true }, (socket) => {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
  socket.on('error', () => socket.destroy());
  attachSession(new SocketConnectionTransport(socket), { state, executor, clientAddress: `${socket.remoteAddress}:${socket.remotePort}` });
});

const port = Number(process.argv[2] ?? '0');
server.once('error', (error: NodeJS.ErrnoException) => {
  const text = error.code === 'EADDRINUSE' ? `port ${port} is busy: the embedded Redis could not listen on it` : error.message;
  process.send?.({ error: text }, () => process.exit(1));
});
server.listen(port, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address !== 'string') process.send?.({ port: address.port });
});

function end(): void {
  for (const socket of sockets) socket.destroy();
  server.close(() => {
    state.close();
    process.exit(0);
  });
}
process.once('SIGTERM', end);
process.once('disconnect', end);
