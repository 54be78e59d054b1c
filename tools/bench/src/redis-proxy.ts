/** Counts commands to Redis, as the unchanged client sends them, and the round trips before a message to a robot-link is published. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { kindOf, RequestReader } from './redis-requests.js';

/** The script that opens a wait publishes its message to the robot-link. */
const waitOpen = createHash('sha1')
  .update(readFileSync(new URL('../../../packages/store/lua/calls/wait-open.lua', import.meta.url)))
  .digest('hex');

export class RedisProxy {
  /** By name in lower case. */
  readonly commands = new Map<string, number>();
  /** By name, of a script by its hash, too. */
  readonly kinds = new Map<string, number>();
  /** For each message to a robot-link: round trips of the same connection since the previous one. */
  readonly roundTripsBeforeMessage: number[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(port: number): Promise<RedisProxy> {
    const server = createServer({ noDelay: true });
    const proxy = new RedisProxy(server);
    server.on('connection', (client) => proxy.#join(client, port));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket, port: number): void {
    const redis = connect({ port, host: '127.0.0.1', noDelay: true });
    const roundTrips = new RoundTrips(this.roundTripsBeforeMessage);
    const reader = new RequestReader((name, firstArgument) => {
      for (const [counts, of] of [
        [this.commands, name],
        [this.kinds, kindOf(name, firstArgument)],
      ] as const)
        counts.set(of, (counts.get(of) ?? 0) + 1);
      roundTrips.sent(name, firstArgument);
    });
    client.on('data', (bytes) => {
      reader.read(bytes);
      redis.write(bytes);
    });
    redis.on('data', (bytes) => {
      roundTrips.answered();
      client.write(bytes);
    });
    for (const [socket, other] of [
      [client, redis],
      [redis, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}

/** With one action in flight a connection alternates between requests and replies. */
class RoundTrips {
  readonly #into: number[];
  #asked = false;
  #count = 0;

  constructor(into: number[]) {
    this.#into = into;
  }

  sent(name: string, firstArgument: string): void {
    const isPublish = (name === 'publish' || name === 'spublish') && firstArgument.startsWith('perch:{link-');
    if (isPublish || (name === 'evalsha' && firstArgument === waitOpen)) {
      this.#into.push(this.#count);
      this.#count = 0;
      this.#asked = false;
    } else this.#asked = true;
  }

  answered(): void {
    if (this.#asked) this.#count++;
    this.#asked = false;
  }
}
