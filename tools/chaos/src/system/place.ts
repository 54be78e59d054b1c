/** One place of the system and the processes that fill it, behind proxies whose addresses stay. */
import { environmentOf, startService, type ServiceProcess } from '@perch/launcher';
import { TcpProxy } from '@perch/testkit';
import type { Random } from '../random.js';
import { freeze } from './frozen.js';
import type { Instance, Service } from './instance.js';
import { Track } from './spans.js';

export interface PlaceOptions {
  service: Service;
  index: number;
  redisUrl: string;
  /** Whether Redis is dialled through a proxy of the place's own. */
  redisThroughProxy: boolean;
  random: Random;
  /** What its processes inherit. */
  env: NodeJS.ProcessEnv;
  log: (line: string, place: string) => void;
  onCrash: (place: string, how: string) => void;
}

/** Waits and polls that a draining gateway holds are given so long. */
const drainMs = 2000;
/** A message that did not arrive is sent again soon, so that a round does not wait for the pace of the internet; often enough for any fault, s. */
const retryS = '0.2,0.3,0.5,1,2,2,2,2,2,2,2,2';
/** A drain that takes longer than this is ended by SIGKILL, and is a crash. */
const drainWithinMs = 12_000;
/** A service that does not start (its Redis may be away still) is started again until then; a machine that others load takes its time. */
const startsWithinMs = 60_000;
const startAgainMs = 250;
/** Beyond what all are told. */
const settings: Readonly<Record<Service, Readonly<Record<string, string>>>> = {
  gateway: { PERCH_GATEWAY_PORT: '0' },
  'robot-link': { PERCH_LINK_PORT: '0' },
  renderer: {},
  webhooks: { PERCH_WEBHOOK_ALLOW_PRIVATE: 'true', PERCH_WEBHOOK_RETRY_S: retryS },
};

export class Place implements Instance {
  readonly service: Service;
  readonly place: string;
  readonly clients: TcpProxy | null;
  readonly redis: TcpProxy | null;
  readonly running = new Track(null);
  readonly reachable = new Track(performance.now());
  readonly served = new Track(performance.now());
  readonly #options: PlaceOptions;
  #process: ServiceProcess | null = null;
  /** The process that was told to end. */
  #ending: ServiceProcess | null = null;
  #path = '';
  /** Base URL that programs dial instead of this place, or null. */
  #through: string | null = null;
  /** Ends the spans in which nothing ran here. */
  #recover: () => void = () => this.running.recover();
  /** What lets a frozen process go on. */
  readonly #frozen = new Set<() => Promise<void>>();
  #stopped = false;

  private constructor(options: PlaceOptions, clients: TcpProxy | null, redis: TcpProxy | null) {
    this.#options = options;
    this.service = options.service;
    this.place = placeName(options);
    this.clients = clients;
    this.redis = redis;
  }

  static async open(options: PlaceOptions): Promise<Place> {
    const chance = options.random.fork(placeName(options));
    const nowhere = { host: '127.0.0.1', port: 1 };
    const hasClients = options.service === 'gateway' || options.service === 'robot-link';
    const clients = hasClients ? await TcpProxy.open(nowhere, () => chance.next()) : null;
    const redis = options.redisThroughProxy ? await TcpProxy.open(targetOf(options.redisUrl), () => chance.next()) : null;
    const place = new Place(options, clients, redis);
    try {
      await place.#start({});
      return place;
    } catch (error) {
      await place.close();
      throw error;
    }
  }

  get url(): string {
    if (this.#through !== null) return this.#through;
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

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    const ending = this.#ends();
    if (ending?.running !== true) return;
    ending.signal('SIGKILL');
    await ending.ended;
  }

  /** SIGTERM; resolves when it is gone. Where it did not go by itself that is a crash. */
  async drain(): Promise<void> {
    const ending = this.#ends();
    if (ending?.running !== true) return;
    const { signal } = await ending.stop(drainWithinMs);
    if (signal === 'SIGKILL') this.#options.onCrash(this.place, `did not end within ${drainWithinMs} ms of SIGTERM`);
  }

  reachThrough(url: string): () => void {
    this.#through = url;
    return () => (this.#through = null);
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

  /** SIGSTOP. @returns SIGCONT; calling it again does nothing */
  async freeze(): Promise<() => Promise<void>> {
    const recover = this.running.spoil();
    try {
      const thaw = await freeze(this.pid);
      const goOn = async (): Promise<void> => {
        this.#frozen.delete(goOn);
        await thaw();
        recover();
      };
      this.#frozen.add(goOn);
      return goOn;
    } catch (error) {
      recover();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#stopped = true;
    const last = this.#process;
    if (last?.running === true) {
      this.#ends();
      // It may be stopped by SIGSTOP, or be draining: nothing of it is worth waiting for.
      last.signal('SIGKILL');
      await last.ended;
    }
    await Promise.all([...this.#frozen].map((goOn) => goOn()));
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
        PERCH_REDIS_URL: this.redis === null ? redisUrl : `redis://127.0.0.1:${this.redis.port}`,
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
      this.#ends();
      onCrash(this.place, `ended with ${signal ?? `code ${code}`}`);
    });
    if (this.clients !== null) {
      this.clients.target = targetOf(started.address);
      const { pathname } = new URL(started.address);
      this.#path = pathname === '/' ? '' : pathname;
    }
    this.#recover();
  }

  /** From now on nothing is expected of the process. */
  #ends(): ServiceProcess | null {
    if (this.#process !== null && this.#ending !== this.#process) {
      this.#ending = this.#process;
      this.#recover = this.running.spoil();
    }
    return this.#process;
  }
}

function placeName({ service, index }: Pick<PlaceOptions, 'service' | 'index'>): string {
  return `${service}-${index}`;
}

function targetOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
