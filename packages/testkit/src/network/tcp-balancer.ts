/** A TCP load balancer with the worst behaviour of deployed ones: it detects failures only by health checks, and does not retry connections. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface BalancedServer {
  host: string;
  port: number;
  /** URL that answers 200 while the server can take connections. If unset, the server is always up. */
  readyz?: string;
}

export interface TcpBalancerOptions {
  /** Called for each connection and health check. */
  servers: () => readonly BalancedServer[];
  policy?: 'round-robin' | 'leastconn';
  /** Interval of health checks, ms. A server is down after two failed checks and up after one successful check. Default: 1000. */
  checkEveryMs?: number;
}

const fall = 2;

export class TcpBalancer {
  readonly port: number;
  readonly #server: Server;
  readonly #options: TcpBalancerOptions;
  readonly #timer: NodeJS.Timeout;
  /** By URL; a server that was never checked is down. */
  readonly #failed = new Map<string, number>();
  readonly #open = new Map<number, Set<Socket>>();
  #nextIndex = 0;

  private constructor(server: Server, options: TcpBalancerOptions) {
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
    this.#options = options;
    server.on('connection', (client) => this.#accept(client));
    this.#timer = setInterval(() => void this.check(), options.checkEveryMs ?? 1000);
  }

  static async open(options: TcpBalancerOptions): Promise<TcpBalancer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const balancer = new TcpBalancer(server, options);
    await balancer.check();
    return balancer;
  }

  async check(): Promise<void> {
    await Promise.all(
      this.#options.servers().map(async ({ readyz }) => {
        if (readyz === undefined) return;
        const up = await fetch(readyz, { signal: AbortSignal.timeout(2000) }).then(
          (response) => response.ok,
          () => false,
        );
        this.#failed.set(readyz, up ? 0 : (this.#failed.get(readyz) ?? fall) + 1);
      }),
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const sockets of this.#open.values()) for (const socket of sockets) socket.destroy();
    await closed;
  }

  #accept(client: Socket): void {
    client.on('error', () => {});
    const target = this.#choose();
    if (target === null) return void client.destroy();
    const server = connect(target.port, target.host);
    let open = this.#open.get(target.port);
    if (open === undefined) this.#open.set(target.port, (open = new Set()));
    open.add(client);
    client.once('close', () => {
      open.delete(client);
      server.destroy();
    });
    server.on('error', () => {}).once('close', () => client.destroy());
    client.pipe(server).pipe(client);
  }

  #choose(): BalancedServer | null {
    const up = this.#options.servers().filter(({ readyz }) => readyz === undefined || (this.#failed.get(readyz) ?? fall) < fall);
    if (up.length === 0) return null;
    const rotated = up.map((_, i) => up[(this.#nextIndex + i) % up.length]!);
    this.#nextIndex += 1;
    if (this.#options.policy !== 'leastconn') return rotated[0]!;
    const connections = ({ port }: BalancedServer): number => this.#open.get(port)?.size ?? 0;
    return rotated.reduce((least, server) => (connections(server) < connections(least) ? server : least));
  }
}
