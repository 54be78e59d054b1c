/**
 * A rejected server certificate makes a TLS socket emit `error`, and again at an alert of the server. ioredis listens to the first only, so the
 * second would end the process. All sockets get our TLS options, but not all its `Connector`: `tls.connect` adds a listener to them.
 */
import tls, { type ConnectionOptions, type TLSSocket } from 'node:tls';

const marker = Symbol('socket to Redis');

export function forRedisSockets(options: ConnectionOptions): ConnectionOptions {
  return Object.assign({}, options, { [marker]: true });
}

const connect = tls.connect as (...args: unknown[]) => TLSSocket;

Object.assign(tls, {
  connect: (...args: unknown[]): TLSSocket => {
    const socket = connect(...args);
    const [options] = args;
    if (typeof options === 'object' && options !== null && marker in options) socket.on('error', () => {});
    return socket;
  },
});
