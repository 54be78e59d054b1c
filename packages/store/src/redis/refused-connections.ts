/**
 * Makes ioredis report why a server refused a connection. Redis at its maxclients replies to the connection itself and closes it. ioredis takes the reply
 * for that to its first command, whose error it ignores, or does not read it, because one of its further commands fails before.
 */
import type { Socket } from 'node:net';
import { Redis } from 'ioredis';

/** networking.c of Redis 7.0 and 8.0: also the reply of a server in protected mode. Over TLS the server closes without a reply. */
const refusal = /^-((?:ERR max number of clients|DENIED)[^\r\n]*)/;

interface ConnectedRedis {
  stream: Socket;
  options: Redis['options'];
}

type SetStatus = (this: ConnectedRedis, status: string, arg?: unknown) => void;
const { setStatus } = Redis.prototype as unknown as { setStatus: SetStatus };

const connected = {
  setStatus(this: ConnectedRedis, status: string, arg?: unknown): void {
    if (status === 'connect') readRefusal(this);
    setStatus.call(this, status, arg);
  },
};

function readRefusal({ stream, options }: ConnectedRedis): void {
  // One write for the first commands: the reset that it causes leaves the reply readable.
  stream.cork();
  process.nextTick(() => stream.uncork());
  stream.once('data', (first: Buffer) => {
    const message = refusal.exec(first.toString('latin1', 0, 200))?.[1];
    if (message === undefined) return;
    const error = Object.assign(new Error(message), { name: 'ReplyError' });
    // As for a refused command; ioredis has no event for connections of its own, such as those that ask for the slots of a Cluster.
    options.reconnectOnError?.(error);
    stream.destroy(error);
  });
}

/** Call it before the first connection. A bundler drops a module that is imported for its effects alone. */
export function reportRefusedConnections(): void {
  Object.assign(Redis.prototype, connected);
}
