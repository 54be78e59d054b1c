/**
 * A wire between a Perch and its Redis that reads along: which commands are sent, and which are awaited before a robot's command leaves.
 * The service runs unchanged; what it sends is counted where it leaves the client, and can be held against what the server counted.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { RequestReader } from './redis-requests.js';

export class RedisWire {
  /** Commands sent so far, by name in lower case. */
  readonly commands = new Map<string, number>();
  /** For each command to a robot-link's inbox: how many round trips of the same connection ended since the one before. */
  readonly turnsBeforePublish: number[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param port of a Redis on loopback */
  static async open(port: number): Promise<RedisWire> {
    const server = createServer({ noDelay: true });
    const wire = new RedisWire(server);
    server.on('connection', (client) => wire.#join(client, port));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return wire;
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
    const turns = new Turns(this.turnsBeforePublish);
    const reader = new RequestReader((name, firstArgument) => {
      this.commands.set(name, (this.commands.get(name) ?? 0) + 1);
      turns.sent(name, firstArgument);
    });
    client.on('data', (bytes) => {
      reader.read(bytes);
      redis.write(bytes);
    });
    redis.on('data', (bytes) => {
      turns.answered();
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

/** With one action in flight a connection takes turns: requests, answers, requests. */
class Turns {
  readonly #into: number[];
  #asked = false;
  #turns = 0;

  constructor(into: number[]) {
    this.#into = into;
  }

  sent(name: string, firstArgument: string): void {
    if ((name === 'publish' || name === 'spublish') && firstArgument.startsWith('perch:{link-')) {
      this.#into.push(this.#turns);
      this.#turns = 0;
      this.#asked = false;
    } else this.#asked = true;
  }

  answered(): void {
    if (this.#asked) this.#turns++;
    this.#asked = false;
  }
}
