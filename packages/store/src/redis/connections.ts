/** Only this folder distinguishes a single Redis, Sentinels and a Cluster, whose channels are sharded: a message stays on its tag's node. */
import { Cluster, type Redis, type RedisOptions } from 'ioredis';
import { Durable, durableCommandTimeoutMs } from './durable.js';
import { asStoreError, StoreError } from './errors.js';
import { Forms } from './formats.js';
import { redisAddress } from './redis-address.js';
import { connectionFactory, connectionProblem, type RedisTls } from './connection-factory.js';
import { servesWithoutPassword } from './default-user.js';
import { Capabilities, capabilityWarnings, type OnFinding } from './redis-capabilities.js';
import { Reconnection } from './reconnection.js';
import { RedisVitals, type ConnectionUse } from './redis-vitals.js';
import { refusalOf, Refusals } from './refused.js';
import type { ScriptKeys, ScriptOutputs } from './script-types.generated.js';
import type { ScriptName } from './scripts.js';
import { Subscriber } from './subscriber.js';
import { TickBatcher, WriteBatching } from './batching.js';

export interface Connections {
  readonly commands: Redis | Cluster;
  readonly forms: Forms;
  readonly subscriber: Subscriber;
  readonly vitals: RedisVitals;
  readonly capabilities: Capabilities;
  /** Runs callbacks at the end of an event-loop iteration, then flushes what `publish` and `script` wrote. */
  readonly batcher: TickBatcher;
  readonly isCluster: boolean;
  /** Behind Sentinels: the promoted replica need not have every write that the former master acknowledged. */
  readonly canFailOver: boolean;
  readonly publishCommand: 'PUBLISH' | 'SPUBLISH';
  /** @returns the number of receivers; null on a Cluster, where the count is meaningless, and as `receiversOf` says */
  publish(channel: string, message: string): Promise<number | null>;
  /**
   * Returns the receivers that PUBLISH counted, or null if there may have been others. For some seconds after a fail-over the subscriber of an instance may
   * still be at the former master: that is a replica now, and hands on what is published at the new one, which does not count it.
   */
  receiversOf(count: number): number | null;
  /** Runs a script of lua/ by its file name, with the keys and the output that its header declares. @throws {StoreError} when Redis cannot serve */
  script<Name extends ScriptName>(name: Name, keys: ScriptKeys[Name], args: (string | number | Buffer)[]): Promise<ScriptOutputs[Name]>;
  /**
   * Resolves when the writes of `work` are on disk and on a replica, as far as the server reports; `keys`: one of each tag written. UncertainWrite: not
   * certain. @param undo takes back what nobody has yet, such as a new secret, if it was not confirmed (`Durable.run`)
   */
  durably<T>(keys: readonly string[], work: () => Promise<T>, undo?: () => Promise<unknown>): Promise<T>;
  /** @returns false if the server does not report whether writes are on disk */
  waitsForDisk(): boolean;
  /** Opens another connection to the same Redis, for blocking commands or other settings (BullMQ). The caller closes it. */
  duplicate(options: RedisOptions): Redis | Cluster;
  /** Call it with each connection that another one made by its own `duplicate`. */
  watch(connection: Redis | Cluster, use: ConnectionUse): void;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /**
   * `redis://`, `redis-sentinel://[user:password@]host:port,host:port/mastername[/db]`, or `redis-cluster://[user:password@]host:port,host:port`;
   * with TLS `rediss://`, `rediss-sentinel://`, `rediss-cluster://`.
   */
  url: string;
  /** Null or unset: the certificate authorities that Node.js trusts, and no client certificate. */
  tls?: RedisTls;
  sentinelPassword?: string | null;
  /** Name of the connections in CLIENT LIST, without blanks. ioredis goes on where a server refuses CLIENT SETNAME. */
  name?: string;
  onError?: (error: Error) => void;
  /** Called once for each capability that this Redis lacks. Default: `onError`. */
  onFinding?: OnFinding;
  onRoundTrip?: (tookMs: number) => void;
  /** Records what Redis refuses; shared by all attempts to connect. */
  refusals?: Refusals;
  connectTimeoutMs?: number;
}

/** Fails at once without a reply, and never resends: with ioredis' defaults 283 of 273,214 actions ran twice when connections were cut. */
const commandOptions = {
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  commandTimeout: 1000,
  // A connection that went silent; the kernel would keep it for a quarter of an hour.
  socketTimeout: 3000,
  noDelay: true,
  protocol: 2,
} satisfies RedisOptions;

/** Time in which the other instances leave a former master, too (`reconnection.ts`), with a margin for a busy machine. */
const othersLeaveWithinMs = 10_000;

export async function connect(options: ConnectOptions): Promise<Connections> {
  const onError = options.onError ?? (() => {});
  const address = redisAddress(options.url);
  const isCluster = address.kind === 'cluster';
  const vitals = new RedisVitals(address.isTls ? (options.tls ?? {}) : null, options.refusals ?? new Refusals(), options.onRoundTrip ?? (() => {}));
  const reconnection = new Reconnection(onError);
  let noRoom: Error | null = null;
  const create = connectionFactory(address, options.tls ?? {}, options.sentinelPassword ?? null, (error) => {
    if (refusalOf(error) === 'maxclients') {
      noRoom = error;
      // A Cluster does not report errors of its nodes.
      if (isCluster) onError(error);
    }
    vitals.refused(error);
    reconnection.refused(error);
    capabilities.refused(error);
  });
  const watch = (connection: Redis | Cluster, use: ConnectionUse): void => {
    vitals.watch(connection, use);
    reconnection.watch(connection);
  };
  const ownOptions: RedisOptions = { ...commandOptions, ...(options.name !== undefined && { connectionName: options.name }) };
  const commands = create(ownOptions);
  const capabilities = new Capabilities(commands, options.onFinding ?? ((_, text) => onError(new Error(text))));
  const batcher = new TickBatcher();
  const batching = new WriteBatching(commands, batcher);
  const subscriptions = create({
    ...ownOptions,
    enableOfflineQueue: true,
    autoResubscribe: isCluster,
    maxRetriesPerRequest: null,
  });
  for (const connection of [commands, subscriptions]) connection.on('error', onError);
  watch(commands, 'commands');
  watch(subscriptions, 'subscriber');
  const subscriber = new Subscriber(subscriptions, isCluster, onError);

  try {
    await Promise.all([commands, subscriptions].map((connection) => ready(connection, options.connectTimeoutMs ?? 5000)));
    if (commands instanceof Cluster) await connectNodes(commands);
  } catch (error) {
    subscriber.close();
    for (const connection of [commands, subscriptions]) connection.disconnect();
    const cause = noRoom ?? (error as Error);
    const problem = await connectionProblem(cause, address, options.tls ?? {});
    const failed = cause.name === 'ReplyError' ? 'refused the connection' : 'did not answer';
    throw new StoreError('unavailable', `Redis at ${placeOf(options.url)} ${failed}: ${problem}`, { cause });
  }

  await capabilities.watch();
  // Without users Redis may be open on purpose.
  if (address.hasUser) void servesWithoutPassword(commands).then((serves) => serves && onError(new Error(capabilityWarnings.openToAll)));

  const methods = commands as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>;
  // Tests compare what the scripts return with the declared outputs (test/checked-scripts.ts).
  const script = async <Name extends ScriptName>(
    name: Name,
    keys: ScriptKeys[Name],
    args: (string | number | Buffer)[],
  ): Promise<ScriptOutputs[Name]> => {
    batching.cork();
    try {
      return (await methods[name]!(keys.length, ...keys, ...args)) as ScriptOutputs[Name];
    } catch (error) {
      throw asStoreError(error);
    }
  };

  const durable = new Durable(
    async () => {
      const connection = create({ ...ownOptions, commandTimeout: durableCommandTimeoutMs, socketTimeout: 2 * durableCommandTimeoutMs });
      connection.on('error', onError);
      watch(connection, 'commands');
      try {
        await ready(connection, options.connectTimeoutMs ?? 5000);
        if (connection instanceof Cluster) await connectNodes(connection);
      } catch (error) {
        connection.disconnect();
        throw error;
      }
      return connection;
    },
    onError,
    () => capabilities.get('aof') === false || capabilities.get('waitaof') === false,
  );

  // The connection is ready here; each later one may lead to another server.
  let returnedAt = -Infinity;
  commands.on('ready', () => (returnedAt = performance.now()));
  const receiversOf = (count: number): number | null =>
    count === 0 && performance.now() - returnedAt < othersLeaveWithinMs && capabilities.mayBeFromFailover ? null : count;

  let closing: Promise<void> | null = null;
  return {
    commands,
    forms: new Forms(onError),
    subscriber,
    vitals,
    capabilities,
    batcher,
    isCluster,
    canFailOver: address.kind === 'sentinel',
    publishCommand: isCluster ? 'SPUBLISH' : 'PUBLISH',
    async publish(channel, message) {
      batching.cork();
      try {
        if (!(commands instanceof Cluster)) return receiversOf(await commands.publish(channel, message));
        await commands.spublish(channel, message);
        return null;
      } catch (error) {
        throw asStoreError(error);
      }
    },
    receiversOf,
    script,
    durably: (keys, work, undo) => durable.run(keys, work, undo),
    waitsForDisk: () => durable.waits,
    duplicate(overrides) {
      const connection = create({ ...ownOptions, ...overrides });
      connection.on('error', onError);
      watch(connection, 'blocking');
      return connection;
    },
    watch,
    close() {
      closing ??= (async () => {
        reconnection.close();
        subscriber.close();
        await durable.close();
        await Promise.all([commands, subscriptions].map((connection) => quit(connection)));
      })();
      return closing;
    },
  };
}

/** ioredis otherwise connects at a node's first command and, without an offline queue, refuses it. */
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

/** Returns scheme and hosts alone: user, password and query may be secret. */
export function placeOf(url: string): string {
  const [, scheme = 'redis', hosts = ''] = /^([\w-]+):\/\/(?:[^/?#]*@)?([^/?#@]*)/.exec(url) ?? [];
  return `${scheme}://${hosts}`;
}
