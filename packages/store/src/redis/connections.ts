/**
 * The connections of one instance: one for commands (fails fast, never resends), one for subscriptions, and from the first write that must be
 * on disk before it is answered one for those.
 * One Redis, a master that Sentinels watch, and a Redis Cluster differ here and nowhere else: on a Cluster channels are sharded, so that a message
 * stays on the node of its tag.
 */
import { Cluster, type Redis, type RedisOptions } from 'ioredis';
import { CorkedLines } from './write-batching.js';
import { Durable, durableCommandTimeoutMs } from './durable.js';
import { asStoreError, StoreError } from '../errors.js';
import { Forms } from '../versions/forms.js';
import { redisAddress } from './redis-address.js';
import { connectionFactory, type RedisTls } from './connection-factory.js';
import { connectionProblem } from './redis-refusals.js';
import { RedisVitals } from './redis-vitals.js';
import { Subscriber } from './subscriber.js';
import { Turn } from './tick-batcher.js';

export interface Connections {
  readonly commands: Redis | Cluster;
  /** Reads what other releases may have written. */
  readonly forms: Forms;
  readonly subscriber: Subscriber;
  readonly vitals: RedisVitals;
  /** Its end is when what was sent with `publish` and `script` leaves. */
  readonly turn: Turn;
  readonly isCluster: boolean;
  /** Whether Sentinels may promote a replica in the server's place, so that the next process need not have what this one acknowledged. */
  readonly canFailOver: boolean;
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
  /**
   * `redis://`, or `redis-sentinel://[user:password@]host:port,host:port/mastername[/db]`, or `redis-cluster://[user:password@]host:port,host:port`;
   * with TLS `rediss://`, `rediss-sentinel://`, `rediss-cluster://`.
   */
  url: string;
  /** For the URLs with TLS; null or unset: the authorities that Node.js knows, and no client certificate. */
  tls?: RedisTls;
  /** Of the Sentinels themselves. */
  sentinelPassword?: string | null;
  onError?: (error: Error) => void;
  /** Called once a second with the duration of a round trip. */
  onRoundTrip?: (tookMs: number) => void;
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

export async function connect(options: ConnectOptions): Promise<Connections> {
  const onError = options.onError ?? (() => {});
  const address = redisAddress(options.url);
  const isCluster = address.kind === 'cluster';
  const create = connectionFactory(address, options.tls ?? {}, options.sentinelPassword ?? null);

  const vitals = new RedisVitals(address.isTls ? (options.tls ?? {}) : null, options.onRoundTrip ?? (() => {}));
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
  vitals.watch(commands, 'commands');
  vitals.watch(subscriptions, 'subscriber');
  const subscriber = new Subscriber(subscriptions, isCluster, onError);

  try {
    await Promise.all([commands, subscriptions].map((connection) => ready(connection, options.connectTimeoutMs ?? 5000)));
    if (commands instanceof Cluster) await connectNodes(commands);
  } catch (error) {
    subscriber.close();
    for (const connection of [commands, subscriptions]) connection.disconnect();
    const problem = await connectionProblem(error as Error, address, options.tls ?? {});
    throw new StoreError('unavailable', `Redis at ${withoutPassword(options.url)} did not answer: ${problem}`, { cause: error });
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

  const durable = new Durable(
    async () => {
      const line = create({ ...commandOptions, commandTimeout: durableCommandTimeoutMs, socketTimeout: 2 * durableCommandTimeoutMs });
      line.on('error', onError);
      vitals.watch(line, 'commands');
      try {
        await ready(line, options.connectTimeoutMs ?? 5000);
        if (line instanceof Cluster) await connectNodes(line);
      } catch (error) {
        line.disconnect();
        throw error;
      }
      return line;
    },
    onError,
    address.kind === 'sentinel' ? 1 : 0,
  );

  let closing: Promise<void> | null = null;
  return {
    commands,
    forms: new Forms(onError),
    subscriber,
    vitals,
    turn,
    isCluster,
    canFailOver: address.kind === 'sentinel',
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
      vitals.watch(connection, 'blocking');
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
