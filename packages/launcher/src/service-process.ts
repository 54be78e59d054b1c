/** A service as a child process. It announces over the IPC channel that it is ready, and stops when its parent closes the channel. */
import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export type ServiceName = 'gateway' | 'robot-link' | 'renderer' | 'webhooks';

/** @template S a service that is not part of every system, such as the bridge to MQTT, is started by name, too */
export interface ServiceProcess<S extends string = ServiceName> {
  readonly service: S;
  /** `gw-xxxxxx`. */
  readonly instance: string;
  /** `http://127.0.0.1:PORT` or `ws://127.0.0.1:PORT/robot/v1/link`; empty for services that do not listen. */
  readonly address: string;
  readonly admin: string;
  readonly pid: number;
  readonly running: boolean;
  readonly ended: Promise<Ending>;
  /** For tests of failures. If the process exits, this counts as a crash. */
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGTERM, and SIGKILL after `withinMs`. Resolves when the process has exited; all calls share one stop. */
  stop(withinMs?: number): Promise<Ending>;
}

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  wanted: boolean;
}

export interface ServiceProcessOptions<S extends string = ServiceName> {
  service: S;
  /** For example of another release. Default: the tree of this package. */
  root?: string;
  env: Record<string, string>;
  log: (line: string) => void;
  /** Default 30 s. */
  readyWithinMs?: number;
}

interface ReadyMessage {
  ready: true;
  instance: string;
  address?: string;
  admin: string;
}

const ownTree = fileURLToPath(new URL('../../..', import.meta.url));

/** @throws if it has not been built */
function mainOf(service: string, root = ownTree): string {
  const file = join(root, 'services', service, 'dist/main.js');
  if (!existsSync(file)) throw new Error(`${file} is missing: build first (npm run build)`);
  return file;
}

/** @throws with its last log lines if it exits before it is ready, or was not ready in time and was killed */
export async function startService<S extends string = ServiceName>(options: ServiceProcessOptions<S>): Promise<ServiceProcess<S>> {
  // Detached into its own session: Ctrl-C reaches only the launcher, which stops the services in order.
  const child = fork(mainOf(options.service, options.root), [], {
    env: options.env,
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  const lastLines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    forEachLine(stream, (line) => {
      lastLines.push(line);
      if (lastLines.length > 20) lastLines.shift();
      options.log(line);
    });
  }
  const ended = endOf(child);
  try {
    const ready = await readyMessage(child, options.readyWithinMs ?? 30_000);
    return new RunningService(options.service, child, ready, ended);
  } catch (error) {
    child.kill('SIGKILL');
    await ended;
    throw new Error(`${options.service} did not start: ${error instanceof Error ? error.message : String(error)}\n${lastLines.join('\n')}`, {
      cause: error,
    });
  }
}

function readyMessage(child: ChildProcess, withinMs: number): Promise<ReadyMessage> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready within ${withinMs} ms`)), withinMs);
    child.on('message', (message: Partial<ReadyMessage>) => {
      if (message.ready !== true) return;
      clearTimeout(timer);
      resolve(message as ReadyMessage);
    });
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    // 'close' is emitted after the last line of output was read, 'exit' possibly before.
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`it exited with ${signal ?? `code ${code}`}`));
    });
  });
}

function endOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      killChildrenOf(child);
      resolve({ code, signal });
    });
    child.once('error', () => resolve({ code: null, signal: null }));
  });
}

/** A service that was killed could not stop its child processes, and these may be too busy to notice. */
function killChildrenOf(service: ChildProcess): void {
  if (service.pid === undefined || process.platform === 'win32') return;
  try {
    process.kill(-service.pid, 'SIGKILL');
  } catch {
    // The group has no processes left.
  }
}

function forEachLine(stream: Readable, line: (text: string) => void): void {
  createInterface({ input: stream }).on('line', line);
}

class RunningService<S extends string> implements ServiceProcess<S> {
  readonly service: S;
  readonly instance: string;
  readonly address: string;
  readonly admin: string;
  readonly pid: number;
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  #stopped: Promise<Ending> | null = null;
  #running = true;

  constructor(service: S, child: ChildProcess, ready: ReadyMessage, ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>) {
    this.service = service;
    this.instance = ready.instance;
    this.address = ready.address ?? '';
    this.admin = ready.admin;
    this.pid = child.pid ?? 0;
    this.#child = child;
    this.ended = ended.then((ending) => {
      this.#running = false;
      return { ...ending, wanted: this.#stopped !== null };
    });
  }

  get running(): boolean {
    return this.#running;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  stop(withinMs = 8000): Promise<Ending> {
    this.#stopped ??= this.#stop(withinMs);
    return this.#stopped;
  }

  async #stop(withinMs: number): Promise<Ending> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), withinMs);
    try {
      return await this.ended;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Selects the settings for each service: a service refuses `PERCH_*` variables that it does not know. */
const common = /^PERCH_(?:LOG_LEVEL|DRAIN_MS|DRAIN_DELAY_MS|JOB_SHARDS|ADMIN_HOST|TRACES_(?:ENDPOINT|SAMPLE|HEADERS(?:_FILE)?))$/;

const own: Record<ServiceName, RegExp> = {
  gateway:
    /^PERCH_(?:GATEWAY_|TRACES_REQUESTED_PER_S$|ACCOUNT_|MEDIA_MB$|OIDC_|SMTP_URL(?:_FILE)?$|MAIL_FROM$|PUBLIC_URL$|LINK_PUBLIC_URL$|ROBOT_PROGRAM$|INSTALL_(?:URL|CA_FILE)$|SIGN_UP$|LED_MA$|IMAGE_ADDRESSES$|TRUST_PROXY$|WEBHOOK_ALLOW_PRIVATE$)/,
  'robot-link': /^PERCH_(?:LINK_|ROBOT_PROGRAM$|EVENTS_KEPT(?:_DAYS)?$|METRICS_ROBOTS$|ACCOUNT_STORAGE_MB$|VERIFICATION_URI$|TRUST_PROXY$)/,
  renderer: /^PERCH_(?:RENDER_|SPEECH(?:_|$)|ACCOUNT_MEDIA_MB$|MEDIA_MB$)/,
  webhooks: /^PERCH_(?:WEBHOOK_|ACCOUNT_STORAGE_MB$)/,
};

const redisSetting = /^PERCH_REDIS_(?:(?:CA|CERT|KEY)_FILE|SENTINEL_PASSWORD(?:_FILE)?|ALLOW_EVICTION)$/;

/** Read by the launcher itself, by tests, or by clients of the API. */
const notForServices = /^PERCH_(?:REDIS_URL(?:_FILE)?$|STATE_DIR$|TEST_|MQTT_|PROBE_|MICROPYTHON$|BASE_URL$|API_KEY(?:_FILE)?$|ROBOT$)/;

export function environmentOf(service: ServiceName, env: NodeJS.ProcessEnv): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (!name.startsWith('PERCH_') || common.test(name) || own[service].test(name)) passed[name] = value;
  }
  return passed;
}

/** A service refuses Redis settings that do not fit the URL. */
export function redisEnvironment(redisUrl: string, env: NodeJS.ProcessEnv): Record<string, string> {
  const fits = (name: string): boolean =>
    name === 'PERCH_REDIS_ALLOW_EVICTION' ||
    (/^PERCH_REDIS_(?:CA|CERT|KEY)_FILE$/.test(name) && redisUrl.startsWith('rediss')) ||
    (/^PERCH_REDIS_SENTINEL_PASSWORD(?:_FILE)?$/.test(name) && /^rediss?-sentinel:/.test(redisUrl));
  const passed = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && fits(entry[0]));
  return { PERCH_REDIS_URL: redisUrl, ...Object.fromEntries(passed) };
}

/** Returns the PERCH_ variables that no service knows. */
export function unknownSettings(env: NodeJS.ProcessEnv): string[] {
  const patterns = [common, redisSetting, notForServices, ...Object.values(own)];
  return Object.keys(env).filter((name) => name.startsWith('PERCH_') && !patterns.some((pattern) => pattern.test(name)));
}
