/** One instance and its successors, with the HAProxy servers that they run as. */
import { startService, type ServiceName, type ServiceProcess } from '@perch/launcher';
import { until, type SourceTree } from '@perch/testkit';
import type { BalancedServer, Balancer, Pool } from './balancer.js';
import { settingsOf } from './settings.js';

export interface InstanceSlotOptions {
  service: ServiceName;
  redisUrl: string;
  servers: readonly [BalancedServer, BalancedServer];
  env: NodeJS.ProcessEnv;
  log: (line: string, instance: string) => void;
  /** An instance ended unexpectedly, or with a code other than 0. */
  onTrouble: (what: string) => void;
}

/**
 * `surge`: the successor is ready and up before its predecessor receives SIGTERM, as in a Kubernetes Deployment with surge 1 and unavailable 0.
 * `in-place`: it starts after its predecessor has ended, on the same ports, like a container recreated by docker compose.
 */
export type Manner = 'surge' | 'in-place';

const readyWithinMs = 60_000;
/** Default of PERCH_DRAIN_MS plus the drain delay plus 10 s, as required by docs/operate/restart.md. */
const endsWithinMs = 130_000 + 5000 + 10_000;

export class InstanceSlot {
  readonly name: string;
  readonly service: ServiceName;
  readonly #options: InstanceSlotOptions;
  readonly #pool: Pool | null;
  #current: { process: ServiceProcess; tree: SourceTree; server: BalancedServer } | null = null;
  /** By the server that they run as: while one replaces the other, two. */
  readonly #processes = new Map<string, ServiceProcess>();

  constructor(name: string, options: InstanceSlotOptions) {
    this.name = name;
    this.service = options.service;
    this.#options = options;
    this.#pool = options.service === 'gateway' ? 'gateways' : options.service === 'robot-link' ? 'robot_links' : null;
  }

  get servers(): InstanceSlotOptions['servers'] {
    return this.#options.servers;
  }

  get version(): string {
    return this.#current?.tree.version ?? '';
  }

  /** Of the servers of this slot, whatever ran or runs as each. */
  get processes(): { place: string; pid: number }[] {
    return [...this.#processes].map(([place, { pid, running }]) => ({ place, pid: running ? pid : 0 }));
  }

  get admin(): string {
    return this.#current?.process.admin ?? '';
  }

  /** HAProxy may not have noticed yet. */
  async start(tree: SourceTree): Promise<void> {
    await this.#start(tree, this.#options.servers[0]);
  }

  /** Which servers of this slot are up. */
  async agrees(balancer: Balancer): Promise<void> {
    if (this.#pool === null) return;
    for (const server of this.#options.servers) await balancer.sees(this.#pool, server.name, server === this.#current?.server ? 'up' : 'down');
  }

  async replace(tree: SourceTree, manner: Manner, balancer: Balancer): Promise<void> {
    const old = this.#current;
    if (old === null) throw new Error(`${this.name} has no instance to replace`);
    const [first, second] = this.#options.servers;
    if (manner === 'in-place') {
      await this.#end(old, balancer);
      await this.#start(tree, old.server);
    } else {
      const free = old.server === first ? second : first;
      await this.#start(tree, free);
      if (this.#pool !== null) await balancer.sees(this.#pool, free.name, 'up');
      await this.#end(old, balancer);
    }
    await this.agrees(balancer);
  }

  async stop(): Promise<void> {
    const process = this.#current?.process;
    this.#current = null;
    if (process?.running !== true) return;
    await process.stop(0);
  }

  async #start(tree: SourceTree, server: BalancedServer): Promise<void> {
    const { service, redisUrl, env, log, onTrouble } = this.#options;
    const started = await startService({
      service,
      root: tree.root,
      env: settingsOf(tree, service, { redisUrl, port: server.port, adminPort: server.adminPort }, env),
      log: (line) => log(line, server.name),
      readyWithinMs,
    });
    this.#processes.set(server.name, started);
    void started.ended.then(({ code, signal, wanted }) => {
      if (!wanted || code !== 0) onTrouble(`${server.name} (${tree.version}) ended with ${signal ?? `code ${code}`}`);
    });
    const isReady = async (): Promise<boolean> => (await fetch(`${started.admin}/readyz`)).ok;
    await until(isReady, { timeoutMs: readyWithinMs, everyMs: 100, what: `${server.name} to be ready` });
    this.#current = { process: started, tree, server };
  }

  async #end({ process, server }: { process: ServiceProcess; server: BalancedServer }, balancer: Balancer): Promise<void> {
    await process.stop(endsWithinMs);
    if (this.#pool !== null) await balancer.sees(this.#pool, server.name, 'down');
  }
}
