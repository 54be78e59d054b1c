import { callbackify } from 'node:util';
import { Redis } from 'ioredis';

/** With automatic pipelines, as ordinary tuning. */
export function publisher(redisUrl: string): Redis {
  return adapterClient(redisUrl, true);
}

export function subscriber(redisUrl: string): Redis {
  return adapterClient(redisUrl, false);
}

/** Returns a client with `send_command`, which @socket.io/redis-adapter calls and ioredis 6 no longer has. */
function adapterClient(redisUrl: string, enableAutoPipelining: boolean): Redis {
  const client = new Redis(redisUrl, { protocol: 2, enableAutoPipelining });
  return Object.assign(client, { send_command: callbackify((name: string, args: string[]) => client.call(name, ...args)) });
}
