/** The place of one instance, with the servers of HAProxy that its processes run as. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startService, type ServiceName, type ServiceProcess } from '@perch/launcher';
import { until, type SourceTree } from '@perch/testkit';
import type { BalancedServer, Balancer, Pool } from './balancer.js';
import { knowsDrainDelay, settingsOf } from './settings.js';

export interface PlaceOptions {
  service: ServiceName;
  redisUrl: string;
  /** Of which one is in use. */
  servers: readonly [BalancedServer, BalancedServer];
  env: NodeJS.ProcessEnv;
  log: (line: string, place: string) => void;
  /** Called when an instance ended that was not told to, or in another way than with code 0. */
  onTrouble: (what: string) => void;
}

/**
 * `surge`: the successor is ready and up before its predecessor is told to end, as in a Kubernetes Deployment with surge 1 and unavailable 0.
 * `in-place`: it starts after its predecessor has ended, on the same ports, as a container of docker compose that is recreated.
 */
export type Manner = 'surge' | 'in-place';

const readyWithinMs = 60_000;
/** A version without a drain delay is taken out of HAProxy this long before SIGTERM, ms. */
const drainedBeforeMs = 3000;
/** Default of PERCH_DRAIN_MS, the drain delay and 10 s more: what docs/operate.md asks for. */
const endsWithinMs = 130_000 + 5000 + 10_000;

export class Place {
  readonly name: string;
  readonly service: ServiceName;
  readonly #options: PlaceOptions;
  readonly #pool: Pool | null;
  #current: { process: ServiceProcess; tree: SourceTree; server: BalancedServer } | null = null;

  constructor(name: string, options: PlaceOptions) {
    this.name = name;
    this.service = options.service;
    this.#options = options;
    this.#pool = options.service === 'gateway' ? 'gateways' : options.service === 'robot-link' ? 'robot_links' : null;
  }

  get servers(): PlaceOptions['servers'] {
    return this.#options.servers;
  }

  get version(): string {
    return this.#current?.tree.version ?? '';
  }

  get admin(): string {
    return this.#current?.process.admin ?? '';
  }

  /** Starts the first instance. Resolves when it is ready; HAProxy may not know yet. */
  async start(tree: SourceTree): Promise<void> {
    await this.#start(tree, this.#options.servers[0]);
  }

  /** Resolves when HAProxy agrees about which servers of this place are up. */
  async agrees(balancer: Balancer): Promise<void> {
    if (this.#pool === null) return;
    for (const server of this.#options.servers) await balancer.sees(this.#pool, server.name, server === this.#current?.server ? 'up' : 'down');
  }

  /** Puts an instance of the version in the place of the present one, whose exit it waits for. */
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
    void started.ended.then(({ code, signal, wanted }) => {
      if (!wanted || code !== 0) onTrouble(`${server.name} (${tree.version}) ended with ${signal ?? `code ${code}`}`);
    });
    const isReady = async (): Promise<boolean> => (await fetch(`${started.admin}/readyz`)).ok;
    await until(isReady, { timeoutMs: readyWithinMs, everyMs: 100, what: `${server.name} to be ready` });
    this.#current = { process: started, tree, server };
  }

  /** SIGTERM, and before it, for a version without a drain delay, 3 s without new connections. */
  async #end({ process, tree, server }: { process: ServiceProcess; tree: SourceTree; server: BalancedServer }, balancer: Balancer): Promise<void> {
    const pool = knowsDrainDelay(tree, this.service) ? null : this.#pool;
    if (pool !== null) {
      await balancer.setState(pool, server.name, 'drain');
      await sleep(drainedBeforeMs);
    }
    await process.stop(endsWithinMs);
    // HAProxy checks a drained server as well: once a check has failed, `ready` leaves it down until an instance starts there again.
    if (pool !== null) {
      await sleep(drainedBeforeMs);
      await balancer.setState(pool, server.name, 'ready');
    }
    if (this.#pool !== null) await balancer.sees(this.#pool, server.name, 'down');
  }
}
