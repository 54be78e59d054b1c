/** An instance behind proxies: processes come and go, addresses stay. */
import { environmentOf, startService, type ServiceProcess } from '@perch/launcher';
import { TcpProxy } from '@perch/testkit';
import type { Random } from '../random.js';
import { freeze } from './frozen.js';
import type { Instance, Service } from './instance.js';
import { Track } from './spans.js';

export interface ProxiedInstanceOptions {
  service: Service;
  index: number;
  redisUrl: string;
  redisThroughProxy: boolean;
  random: Random;
  env: NodeJS.ProcessEnv;
  log: (line: string, place: string) => void;
  onCrash: (place: string, how: string) => void;
}

const drainMs = 2000;
/** Short, so that a round does not wait; enough of them for any fault, s. */
const retryS = '0.2,0.3,0.5,1,2,2,2,2,2,2,2,2';
/** A drain that takes longer is ended by SIGKILL and counts as a crash. */
const drainWithinMs = 12_000;
/** Redis may still be down; a loaded machine is slow. */
const startsWithinMs = 60_000;
const startAgainMs = 250;
const settings: Readonly<Record<Service, Readonly<Record<string, string>>>> = {
  gateway: { PERCH_GATEWAY_PORT: '0' },
  'robot-link': { PERCH_LINK_PORT: '0' },
  renderer: {},
  webhooks: { PERCH_WEBHOOK_ALLOW_PRIVATE: 'true', PERCH_WEBHOOK_RETRY_S: retryS },
};

export class ProxiedInstance implements Instance {
  readonly service: Service;
  readonly place: string;
  readonly clients: TcpProxy | null;
  readonly redis: TcpProxy | null;
  readonly running = new Track(null);
  readonly reachable = new Track(performance.now());
  readonly served = new Track(performance.now());
  readonly #options: ProxiedInstanceOptions;
  #process: ServiceProcess | null = null;
  #ending: ServiceProcess | null = null;
  #path = '';
  #baseUrl: string | null = null;
  #recover: () => void = () => this.running.recover();
  readonly #resumes = new Set<() => Promise<void>>();
  #stopped = false;

  private constructor(options: ProxiedInstanceOptions, clients: TcpProxy | null, redis: TcpProxy | null) {
    this.#options = options;
    this.service = options.service;
    this.place = nameOf(options);
    this.clients = clients;
    this.redis = redis;
  }

  static async open(options: ProxiedInstanceOptions): Promise<ProxiedInstance> {
    const chance = options.random.fork(nameOf(options));
    const nowhere = { host: '127.0.0.1', port: 1 };
    const hasClients = options.service === 'gateway' || options.service === 'robot-link';
    const clients = hasClients ? await TcpProxy.open(nowhere, () => chance.next()) : null;
    const redis = options.redisThroughProxy ? await TcpProxy.open(targetOf(options.redisUrl), () => chance.next()) : null;
    const instance = new ProxiedInstance(options, clients, redis);
    try {
      await instance.#start({});
      return instance;
    } catch (error) {
      await instance.close();
      throw error;
    }
  }

  get url(): string {
    if (this.#baseUrl !== null) return this.#baseUrl;
    if (this.clients === null) return '';
    return `${this.service === 'gateway' ? 'http' : 'ws'}://127.0.0.1:${this.clients.port}${this.#path}`;
  }

  get admin(): string {
    return this.#process?.admin ?? '';
  }

  get instance(): string {
    return this.#process?.instance ?? '';
  }

  get pid(): number {
    return this.#process?.running === true ? this.#process.pid : 0;
  }

  async kill(): Promise<void> {
    const ending = this.#expectEnd();
    if (ending?.running !== true) return;
    ending.signal('SIGKILL');
    await ending.ended;
  }

  async drain(): Promise<void> {
    const ending = this.#expectEnd();
    if (ending?.running !== true) return;
    const { signal } = await ending.stop(drainWithinMs);
    if (signal === 'SIGKILL') this.#options.onCrash(this.place, `did not end within ${drainWithinMs} ms of SIGTERM`);
  }

  reachThrough(url: string): () => void {
    this.#baseUrl = url;
    return () => (this.#baseUrl = null);
  }

  async start(env: Readonly<Record<string, string>> = {}, root?: string): Promise<void> {
    if (this.pid !== 0 || this.#stopped) return;
    const deadline = performance.now() + startsWithinMs;
    for (;;) {
      try {
        return await this.#start(env, root);
      } catch (error) {
        if (performance.now() > deadline || this.#stopped) throw error;
        await new Promise((resolve) => setTimeout(resolve, startAgainMs));
      }
    }
  }

  async freeze(): Promise<() => Promise<void>> {
    const recover = this.running.impair();
    try {
      const resumeProcess = await freeze(this.pid);
      const resume = async (): Promise<void> => {
        this.#resumes.delete(resume);
        await resumeProcess();
        recover();
      };
      this.#resumes.add(resume);
      return resume;
    } catch (error) {
      recover();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#stopped = true;
    const last = this.#process;
    if (last?.running === true) {
      this.#expectEnd();
      // It may be stopped by SIGSTOP, or draining.
      last.signal('SIGKILL');
      await last.ended;
    }
    await Promise.all([...this.#resumes].map((resume) => resume()));
    await Promise.all([this.clients?.close(), this.redis?.close()]);
  }

  async #start(env: Readonly<Record<string, string>>, root?: string): Promise<void> {
    const { service, redisUrl, env: inherited, log, onCrash } = this.#options;
    const started = await startService({
      service,
      ...(root === undefined ? {} : { root }),
      env: {
        ...environmentOf(service, inherited),
        PERCH_LOG_LEVEL: 'warn',
        PERCH_DRAIN_MS: String(drainMs),
        PERCH_REDIS_URL: this.redis === null ? redisUrl : throughProxy(redisUrl, this.redis),
        ...settings[service],
        ...env,
      },
      log: (line) => log(line, this.place),
      readyWithinMs: startsWithinMs,
    });
    this.#process = started;
    if (this.#stopped) {
      started.signal('SIGKILL');
      await started.ended;
      return;
    }
    void started.ended.then(({ code, signal }) => {
      if (this.#ending === started) return;
      this.#expectEnd();
      onCrash(this.place, `ended with ${signal ?? `code ${code}`}`);
    });
    if (this.clients !== null) {
      this.clients.target = targetOf(started.address);
      const { pathname } = new URL(started.address);
      this.#path = pathname === '/' ? '' : pathname;
    }
    this.#recover();
  }

  #expectEnd(): ServiceProcess | null {
    if (this.#process !== null && this.#ending !== this.#process) {
      this.#ending = this.#process;
      this.#recover = this.running.impair();
    }
    return this.#process;
  }
}

function nameOf({ service, index }: Pick<ProxiedInstanceOptions, 'service' | 'index'>): string {
  return `${service}-${index}`;
}

function throughProxy(url: string, { port }: TcpProxy): string {
  const proxied = new URL(url);
  proxied.port = String(port);
  return proxied.href;
}

function targetOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
