/**
 * Keeps an error on a TLS socket to Redis from ending the process. When Node.js rejects the server's certificate, the socket emits `error` with the
 * reason, and again if an alert of the server arrives before the socket is closed. ioredis listens to the first error only, so the second would be
 * an uncaught exception. It creates sockets for Sentinels and Cluster subscriptions by itself, without its option `Connector`, but passes our TLS
 * options to `tls.connect` for all of them; therefore `tls.connect` adds a listener to sockets with marked options, and changes no other.
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
