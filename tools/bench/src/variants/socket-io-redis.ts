import { callbackify } from 'node:util';
import { Redis } from 'ioredis';

/** Returns a client with `send_command`, which @socket.io/redis-adapter calls and ioredis 6 no longer has. */
export function adapterClient(redisUrl: string): Redis {
  const client = new Redis(redisUrl, { protocol: 2 });
  return Object.assign(client, { send_command: callbackify((name: string, args: string[]) => client.call(name, ...args)) });
}
