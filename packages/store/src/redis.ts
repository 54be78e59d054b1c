/**
 * The connections of one instance: one for commands (fails fast, never resends), one for subscriptions, and from the first write that must be
 * on disk before it is answered one for those.
 * One Redis and a Redis Cluster differ here and nowhere else: on a Cluster channels are sharded, so that a message stays on the node of its tag.
 */
import { Cluster, Redis, type ClusterOptions, type RedisOptions } from 'ioredis';
import { CorkedLines } from './corked-lines.js';
import { Durable, durableCommandTimeoutMs } from './durable.js';
import { asStoreError, StoreError } from './errors.js';
import { redisScripts } from './scripts.js';
import { Subscriber } from './subscriber.js';
import { Turn } from './turn.js';

export interface Connections {
  readonly commands: Redis | Cluster;
  readonly subscriber: Subscriber;
  /** Its end is when what was sent with `publish` and `script` leaves. */
  readonly turn: Turn;
  readonly isCluster: boolean;
  /** The command that scripts must publish with. */
  readonly publishCommand: 'PUBLISH' | 'SPUBLISH';
  /** @returns how many received it; null on a Cluster, where that count means nothing */
  publish(channel: string, message: string): Promise<number | null>;
  /** Runs a script of lua/ by its file name. @throws {StoreError} when Redis cannot serve */
  script(name: string, keys: string[], args: (string | number | Buffer)[]): Promise<unknown>;
  /** As `script`, with bulk replies as Buffers. */
  scriptBuffer(name: string, keys: string[], args: (string | number | Buffer)[]): Promise<unknown>;
  /**
   * Does the work and resolves when what it wrote is on disk, as far as the server can tell.
   * @param keys one of each tag that the work writes to @throws {UncertainWrite} where that is not certain @throws {StoreError} where it was not begun
   */
  durably<T>(keys: readonly string[], work: () => Promise<T>): Promise<T>;
  /** Whether `durably` could wait for the disk so far; false where the server cannot. */
  waitsForDisk(): boolean;
  /** A further connection to the same Redis, for what blocks or needs other settings (BullMQ). The caller closes it. */
  duplicate(options: RedisOptions): Redis | Cluster;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** `redis://`, `rediss://`, or `redis-cluster://[user:password@]host:port,host:port`, with TLS `rediss-cluster://`. */
  url: string;
  onError?: (error: Error) => void;
  /** How long the first connection may take, ms. */
  connectTimeoutMs?: number;
}

/**
 * A command without a reply fails at once and is never resent: an action that ran twice is worse than one that failed. ioredis resends by
 * default; when connections were cut, 283 of 273,214 actions ran twice.
 */
const commandOptions = {
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  commandTimeout: 1000,
  // A line that went silent without a goodbye is given up; the kernel would keep it for a quarter of an hour.
  socketTimeout: 3000,
  noDelay: true,
  protocol: 2,
} satisfies RedisOptions;

const clusterScheme = /^redis(s?)-cluster:\/\//;

export async function connect(options: ConnectOptions): Promise<Connections> {
  const onError = options.onError ?? (() => {});
  const isCluster = clusterScheme.test(options.url);
  const create = isCluster ? clusterFactory(options.url) : singleFactory(options.url);

  const commands = create(commandOptions);
  const turn = new Turn();
  const lines = new CorkedLines(commands, turn);
  const subscriptions = create({
    ...commandOptions,
    enableOfflineQueue: true,
    autoResubscribe: isCluster,
    maxRetriesPerRequest: null,
  });
  for (const connection of [commands, subscriptions]) connection.on('error', onError);
  const subscriber = new Subscriber(subscriptions, isCluster, onError);

  try {
    await Promise.all([commands, subscriptions].map((connection) => ready(connection, options.connectTimeoutMs ?? 5000)));
    if (commands instanceof Cluster) await connectNodes(commands);
  } catch (error) {
    subscriber.close();
    for (const connection of [commands, subscriptions]) connection.disconnect();
    throw new StoreError('unavailable', `Redis at ${withoutPassword(options.url)} did not answer: ${(error as Error).message}`, { cause: error });
  }

  const methods = commands as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>;
  const run = async (name: string, suffix: '' | 'Buffer', keys: string[], args: (string | number | Buffer)[]): Promise<unknown> => {
    lines.cork();
    try {
      return await methods[name + suffix]!(keys.length, ...keys, ...args);
    } catch (error) {
      throw asStoreError(error);
    }
  };

  const durable = new Durable(async () => {
    const line = create({ ...commandOptions, commandTimeout: durableCommandTimeoutMs, socketTimeout: 2 * durableCommandTimeoutMs });
    line.on('error', onError);
    try {
      await ready(line, options.connectTimeoutMs ?? 5000);
      if (line instanceof Cluster) await connectNodes(line);
    } catch (error) {
      line.disconnect();
      throw error;
    }
    return line;
  }, onError);

  let closing: Promise<void> | null = null;
  return {
    commands,
    subscriber,
    turn,
    isCluster,
    publishCommand: isCluster ? 'SPUBLISH' : 'PUBLISH',
    async publish(channel, message) {
      lines.cork();
      try {
        if (!(commands instanceof Cluster)) return await commands.publish(channel, message);
        await commands.spublish(channel, message);
        return null;
      } catch (error) {
        throw asStoreError(error);
      }
    },
    script: (name, keys, args) => run(name, '', keys, args),
    scriptBuffer: (name, keys, args) => run(name, 'Buffer', keys, args),
    durably: (keys, work) => durable.run(keys, work),
    waitsForDisk: () => durable.waits,
    duplicate(overrides) {
      const connection = create({ ...commandOptions, ...overrides });
      connection.on('error', onError);
      return connection;
    },
    close() {
      closing ??= (async () => {
        subscriber.close();
        await durable.close();
        await Promise.all([commands, subscriptions].map((connection) => quit(connection)));
      })();
      return closing;
    },
  };
}

const reconnectDelayMs = (times: number): number => Math.min(50 * times, 500);

function singleFactory(url: string): (options: RedisOptions) => Redis {
  return (options) => new Redis(url, { ...options, retryStrategy: reconnectDelayMs, scripts: redisScripts } as Omit<RedisOptions, 'replyMapping'>);
}

function clusterFactory(url: string): (options: RedisOptions) => Cluster {
  const tls = clusterScheme.exec(url)?.[1] === 's';
  const urls = url
    .replace(clusterScheme, '')
    .split(',')
    .map((node) => new URL(`redis://${node}`));
  const nodes = urls.map(({ hostname, port }) => ({ host: hostname, port: Number(port || 6379) }));
  // One user for the whole cluster, named with its first node.
  const { username, password } = urls[0]!;
  const credentials = password === '' ? {} : { username: decodeURIComponent(username || 'default'), password: decodeURIComponent(password) };
  return ({ enableOfflineQueue, ...redisOptions }) =>
    new Cluster(nodes, {
      shardedSubscribers: true,
      enableOfflineQueue: enableOfflineQueue ?? false,
      scripts: redisScripts,
      // Anything above 0 resends commands after a failover, so that they may run twice.
      retryDelayOnFailover: 0,
      clusterRetryStrategy: reconnectDelayMs,
      redisOptions: { ...redisOptions, ...credentials, ...(tls ? { tls: {} } : {}) },
      // A certificate is checked against the name or address that the node is known by: names must not be resolved before.
      ...(tls ? { dnsLookup: (host, callback) => callback(null, host) } : {}),
    } as Omit<ClusterOptions, 'redisOptions'>);
}

/** ioredis connects to a node at its first command, and without a queue refuses what comes while it does. */
async function connectNodes(cluster: Cluster): Promise<void> {
  cluster.on('+node', (node: Redis) => void node.connect().catch(() => {}));
  await Promise.all(cluster.nodes('all').map((node) => node.ping()));
}

function ready(connection: Redis | Cluster, timeoutMs: number): Promise<void> {
  if (connection.status === 'ready') return Promise.resolve();
  return new Promise((resolve, reject) => {
    let last: Error | null = null;
    const settle = (error: Error | null) => {
      clearTimeout(timer);
      connection.off('ready', onReady).off('error', onError);
      if (error) reject(error);
      else resolve();
    };
    const onReady = () => settle(null);
    const onError = (error: Error) => (last = error);
    const timer = setTimeout(() => settle(last ?? new Error(`no connection within ${timeoutMs} ms`)), timeoutMs);
    connection.on('ready', onReady).on('error', onError);
  });
}

async function quit(connection: Redis | Cluster): Promise<void> {
  if (connection.status === 'ready') await connection.quit().catch(() => {});
  connection.disconnect();
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^/]*@/, '//');
}
