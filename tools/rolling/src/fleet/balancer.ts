/** HAProxy with deploy/haproxy/perch.cfg, and a second server for each instance, for a successor that starts while the instance still runs. */
import { startLoadBalancer, until, type LoadBalancer } from '@perch/testkit';

/** HAProxy checks readiness at the admin port of an instance. */
export interface BalancedServer {
  name: string;
  port: number;
  adminPort: number;
}

export type Pool = 'gateways' | 'robot_links';

/** By pool. */
export type Servers = Readonly<Record<Pool, { fixed: readonly [BalancedServer, BalancedServer]; added: readonly BalancedServer[] }>>;

/** As in the configuration file; `add server` does not use its defaults. */
const checks = 'inter 1s fastinter 500ms downinter 1s rise 1 fall 2';
const agreesWithinMs = 15_000;

export class Balancer {
  readonly #haproxy: LoadBalancer;

  private constructor(haproxy: LoadBalancer) {
    this.#haproxy = haproxy;
  }

  /** HAProxy counts a server as up until its first checks fail; see `agrees`. */
  static async start({ gateways, robot_links: links }: Servers): Promise<Balancer> {
    const instance = ({ port, adminPort }: BalancedServer): { address: string; admin: string } => ({
      address: `http://127.0.0.1:${port}`,
      admin: `http://127.0.0.1:${adminPort}`,
    });
    const haproxy = await startLoadBalancer({
      gateways: [instance(gateways.fixed[0]), instance(gateways.fixed[1])],
      links: [instance(links.fixed[0]), instance(links.fixed[1])],
    });
    const balancer = new Balancer(haproxy);
    try {
      for (const server of gateways.added) await balancer.#add('gateways', server);
      for (const server of links.added) await balancer.#add('robot_links', server);
      return balancer;
    } catch (error) {
      await haproxy.stop();
      throw error;
    }
  }

  get programs(): string {
    return this.#haproxy.programs;
  }

  get robots(): string {
    return this.#haproxy.robots;
  }

  async isUp(pool: Pool, server: string): Promise<boolean> {
    const rows = (await this.#haproxy.command('show stat')).split('\n').map((line) => line.split(','));
    const status = rows[0]!.indexOf('status');
    const row = rows.find(([backend, name]) => backend === pool && name === server);
    return row?.[status]?.startsWith('UP') ?? false;
  }

  async sees(pool: Pool, server: string, state: 'up' | 'down'): Promise<void> {
    const what = `HAProxy to see ${server} ${state}`;
    await until(async () => (await this.isUp(pool, server)) === (state === 'up'), { timeoutMs: agreesWithinMs, everyMs: 100, what });
  }

  async stop(): Promise<void> {
    await this.#haproxy.stop();
  }

  async #add(pool: Pool, { name, port, adminPort }: BalancedServer): Promise<void> {
    await this.#sendCommand(`add server ${pool}/${name} 127.0.0.1:${port} check port ${adminPort} ${checks}`);
    await this.#sendCommand(`enable health ${pool}/${name}`);
    await this.#sendCommand(`enable server ${pool}/${name}`);
  }

  async #sendCommand(command: string): Promise<void> {
    const answer = await this.#haproxy.command(command);
    if (answer !== '' && answer !== 'New server registered.') throw new Error(`HAProxy answered ${command} with: ${answer}`);
  }
}
