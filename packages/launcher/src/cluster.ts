import { once } from 'node:events';
import { createServer } from 'node:net';
import { environmentOf, redisEnvironment, startService, type Ending, type ServiceName, type ServiceProcess } from './service-process.js';

export interface ClusterOptions {
  /** Such as from the launcher's `openRedis` or the testkit's `redisUrl`. */
  redisUrl: string;
  gateways?: number;
  links?: number;
  renderers?: number;
  /** Default: 0. */
  webhooks?: number;
  /** Ports of the first gateway and the first robot-link. 0 or unset: any free port. All other instances use free ports. */
  ports?: { gateway?: number; link?: number };
  /** How long a stopping gateway lets waits continue. Default: 5000. */
  drainMs?: number;
  /** Folder of the built source tree whose services are started, for example of another release. Default: this one. */
  root?: string;
  /** Environment for the services, usually `process.env`; each service receives only its own settings. */
  env: NodeJS.ProcessEnv;
  log?: (line: string, service: ServiceName) => void;
  /** Called when a service exits without a call of `stop`. */
  onCrash?: (service: ServiceProcess, ending: Ending) => void;
}

export interface Cluster {
  readonly redisUrl: string;
  /** In the order they were started. One that exited stays in the list. */
  readonly gateways: readonly ServiceProcess[];
  readonly links: readonly ServiceProcess[];
  readonly renderers: readonly ServiceProcess[];
  readonly webhooks: readonly ServiceProcess[];
  /** Starts another instance of a service on a free port. `env` overrides the environment of the cluster. */
  add(service: ServiceName, env?: Record<string, string>): Promise<ServiceProcess>;
  /** Starts a replacement for an instance that exited, on the same port. */
  replace(ended: ServiceProcess): Promise<ServiceProcess>;
  /** Stops all services within 8 s plus twice PERCH_DRAIN_DELAY_MS: gateways first, while robots are still connected for their calls. All calls share one stop. */
  stop(): Promise<void>;
}

const gatewaysWithinMs = 6000;
const othersWithinMs = 2000;

/** Resolves when all services are ready. @throws if one does not start, after stopping the others; the message names a busy port */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const cluster = new LocalCluster(options);
  await refuseBusyPort(options.ports?.gateway ?? 0, '--port', options.env['PERCH_GATEWAY_HOST']);
  await refuseBusyPort(options.ports?.link ?? 0, '--link-port', options.env['PERCH_LINK_HOST']);
  const starts = [
    ...counted(options.gateways).map((index) =>
      cluster.start('gateway', { PERCH_GATEWAY_PORT: String(index === 0 ? (options.ports?.gateway ?? 0) : 0) }),
    ),
    ...counted(options.links).map((index) => cluster.start('robot-link', { PERCH_LINK_PORT: String(index === 0 ? (options.ports?.link ?? 0) : 0) })),
    ...counted(options.renderers).map(() => cluster.start('renderer', {})),
    ...counted(options.webhooks ?? 0).map(() => cluster.start('webhooks', {})),
  ];
  const results = await Promise.allSettled(starts);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    await cluster.stop();
    throw failed.reason;
  }
  for (const result of results) if (result.status === 'fulfilled') cluster.admit(result.value);
  return cluster;
}

function counted(count = 1): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

class LocalCluster implements Cluster {
  readonly redisUrl: string;
  readonly gateways: ServiceProcess[] = [];
  readonly links: ServiceProcess[] = [];
  readonly renderers: ServiceProcess[] = [];
  readonly webhooks: ServiceProcess[] = [];
  readonly #options: ClusterOptions;
  readonly #started = new Set<ServiceProcess>();
  #stopped: Promise<void> | null = null;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.redisUrl = options.redisUrl;
  }

  async start(service: ServiceName, env: Record<string, string>): Promise<ServiceProcess> {
    const { redisUrl, root, drainMs = 5000, log, onCrash } = this.#options;
    // A robot sent away to balance the load would reconnect to the same robot-link.
    const defaults = service === 'robot-link' ? { PERCH_LINK_BALANCE: 'false' } : {};
    const started = await startService({
      service,
      ...(root !== undefined && { root }),
      env: {
        ...defaults,
        ...environmentOf(service, this.#options.env),
        ...redisEnvironment(redisUrl, this.#options.env),
        PERCH_DRAIN_MS: String(drainMs),
        ...env,
      },
      log: (line) => log?.(line, service),
    });
    this.#started.add(started);
    void started.ended.then((ending) => {
      this.#started.delete(started);
      if (!ending.wanted && this.#stopped === null) onCrash?.(started, ending);
    });
    // A stop that began meanwhile did not include this process.
    if (this.#stopped !== null) await started.stop(othersWithinMs);
    return started;
  }

  admit(started: ServiceProcess): void {
    this.#list(started.service).push(started);
  }

  async add(service: ServiceName, env: Record<string, string> = {}): Promise<ServiceProcess> {
    const started = await this.start(service, { ...portSetting(service, '0'), ...env });
    this.admit(started);
    return started;
  }

  async replace(ended: ServiceProcess): Promise<ServiceProcess> {
    const port = ended.address === '' ? '0' : new URL(ended.address).port;
    const started = await this.start(ended.service, portSetting(ended.service, port));
    const list = this.#list(ended.service);
    list.splice(list.indexOf(ended), 1, started);
    return started;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const all = [...this.#started];
    const delayMs = Number(this.#options.env['PERCH_DRAIN_DELAY_MS'] ?? 0);
    const gateways = all.filter(({ service }) => service === 'gateway');
    await Promise.all(gateways.map((gateway) => gateway.stop(delayMs + gatewaysWithinMs)));
    await Promise.all(all.filter(({ service }) => service !== 'gateway').map((other) => other.stop(delayMs + othersWithinMs)));
  }

  #list(service: ServiceName): ServiceProcess[] {
    return { gateway: this.gateways, 'robot-link': this.links, renderer: this.renderers, webhooks: this.webhooks }[service];
  }
}

function portSetting(service: ServiceName, port: string): Record<string, string> {
  if (service === 'gateway') return { PERCH_GATEWAY_PORT: port };
  return service === 'robot-link' ? { PERCH_LINK_PORT: port } : {};
}

/** @throws an Error that names the port and the option that changes it */
export async function refuseBusyPort(port: number, option: string, host = '127.0.0.1'): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE')
      throw new Error(`port ${port} is busy: choose another with ${option} N, or any free one with ${option} 0`, { cause: error });
    if (code === 'EACCES')
      throw new Error(`no permission to listen on port ${port}: choose another with ${option} N, or any free one with ${option} 0`, { cause: error });
    throw error;
  } finally {
    server.close();
  }
}
