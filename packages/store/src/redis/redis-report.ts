/** What `perch redis check` reads of a Redis. No instance is started for it, so that it also reports a Redis on which none would start. */
import { StoreError } from './errors.js';
import { dataVersions, requireReadableData } from './data-version.js';
import { connect, type Connections, type ConnectOptions } from './connections.js';
import { defaultUsersOf, servesWithoutPassword, type DefaultUser } from './default-user.js';
import { LostWrites } from './lost-writes.js';
import { redisCapabilities, type RedisCapability } from './redis-capabilities.js';
import { Cluster, type Redis } from 'ioredis';
import { mastersOf } from './cluster-nodes.js';
import { sharedKeys } from './keys.js';
import { refusalOf } from './refused.js';
import { addressOf } from './redis-vitals.js';

export interface RedisReport {
  /** By node. */
  defaultUsers: [node: string, user: DefaultUser][];
  /** In the order of `redisCapabilities`; null: unknown. `finding` says what is missing and what to do. */
  capabilities: { name: RedisCapability; has: boolean | null; finding: string }[];
  /** As ACL rules name them, with those that Perch does without; null: unknown. */
  refusedCommands: string[] | null;
  /** Masters that lost writes; null: unknown, because Redis does not take the writes by which that is found. */
  lostWrites: number | null;
}

/** @throws {StoreError} it cannot be reached @throws {StartRefused} its data is newer than this release reads */
export async function readRedis(options: ConnectOptions): Promise<RedisReport> {
  const redis = await connect({ ...options, onFinding: () => {} });
  try {
    const { capabilities, commands } = redis;
    const [users, refused] = [await defaultUsersOf(commands), await refusedCommands(commands)];
    const isOpen = users.some(([, user]) => user === 'unknown') && (await servesWithoutPassword(commands));
    return {
      defaultUsers: users.map(([node, user]) => [node, isOpen && user === 'unknown' ? 'open' : user]),
      capabilities: redisCapabilities.map((name) => ({
        name,
        has: name === 'commands' ? refused && refused.every((command) => optionalCommands.has(command)) : capabilities.get(name),
        finding: capabilities.finding(name)?.[1] ?? '',
      })),
      refusedCommands: refused,
      lostWrites: await lostWritesOf(redis),
    };
  } finally {
    await redis.close();
  }
}

async function lostWritesOf(redis: Connections): Promise<number | null> {
  try {
    // Reads alone: it raises no version.
    await requireReadableData(redis, { ...dataVersions, writes: 1 });
    return await new LostWrites(redis, () => {}).check();
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

// Which commands of Perch a Redis refuses to its user. Redis checks permissions as it queues the commands of a transaction, which is then not executed.
// So this needs neither ACL DRYRUN nor COMMAND, which hosted servers refuse, and changes nothing.

/** K is a key and a channel. Without the commands by which capabilities and connections are told (`dispensable`), and `quit`. */
const commands = `
  ping | time | select 0 | readonly | readwrite | asking | bgsave | wait 0 0 | eval return 0 | evalsha ${'0'.repeat(40)} 0
  cluster slots | cluster info | publish K x | spublish K x
  exists K | del K | unlink K | expire K 1 | pexpire K 1 | pexpireat K 1 | persist K | pttl K | scan 0
  get K | set K x | getdel K | getrange K 0 0 | append K x | strlen K | incr K | incrby K 1
  hget K x | hset K x x | hsetnx K x x | hmget K x | hmset K x x | hgetall K | hdel K x | hlen K | hkeys K | hvals K | hexists K x | hstrlen K x
  hscan K 0 | hincrby K x 1
  llen K | lpos K x | lpush K x | lrange K 0 0 | lrem K 1 x | ltrim K 0 0 | rpoplpush K K | rpush K x
  sadd K x | srem K x | scard K | sismember K x | smembers K | sscan K 0
  zadd K 1 x | zrem K x | zcard K | zscore K x | zrange K 0 0 | zrangebyscore K 0 0 | zrevrange K 0 0 | zrevrangebyscore K 0 0
  zremrangebyscore K 0 0 | zremrangebyrank K 0 0 | zincrby K 1 x | zrevrank K x | zpopmin K | bzpopmin K 0
  xadd K * x x | xdel K 0-0 | xlen K | xrange K - + | xrevrange K + - | xtrim K MAXLEN 0
`
  .trim()
  .split(/\s*[|\n]\s*/)
  .map((line) => line.split(' '));

/** Hosted servers refuse them, and Perch does without: nothing waits for a replica, and numbers of events jump where there are only snapshots. */
const optionalCommands: ReadonlySet<string> = new Set(['bgsave', 'wait']);

const subscriptions = [
  ['subscribe', 'unsubscribe'],
  ['ssubscribe', 'sunsubscribe'],
] as const;

const ofClusters: ReadonlySet<string> = new Set(['asking', 'cluster|info', 'cluster|slots', 'readonly', 'readwrite', 'spublish']);
const notOfClusters: ReadonlySet<string> = new Set(['publish', 'select']);

/** As ACL rules name them; for tests. */
export const checkedCommands: readonly string[] = [...commands.map(ruleOf), 'multi', 'exec', ...subscriptions.flat()];

/** Returns the commands that a master refuses to this user, or does not know, as ACL rules name them; null if that cannot be found out. */
export async function refusedCommands(connection: Redis | Cluster): Promise<string[] | null> {
  const isCluster = connection instanceof Cluster;
  const refused = await Promise.all(
    mastersOf(connection).map(async (node) => [
      await onConnection(node, (own) => refusedInTransaction(own, isCluster)),
      await onConnection(node, (own) => refusedSubscription(own, isCluster)),
    ]),
  ).catch(() => [null]);
  const all = refused.flat(2);
  return all.includes(null) ? null : [...new Set(all as string[])];
}

async function onConnection<T>(node: Redis, work: (own: Redis) => Promise<T>): Promise<T> {
  const own = node.duplicate({ lazyConnect: true, enableReadyCheck: false, retryStrategy: null, reconnectOnError: null } as never);
  own.on('error', () => {});
  try {
    await own.connect();
    return await work(own);
  } finally {
    own.disconnect();
  }
}

/** Ends without EXEC: the connection is closed. */
async function refusedInTransaction(own: Redis, isCluster: boolean): Promise<string[] | null> {
  for (const command of ['multi', 'exec', 'multi']) if (await isRefused(own.call(command))) return [command];
  const refused: string[] = [];
  for (const [name, ...args] of commands) {
    const rule = ruleOf([name!, ...args]);
    if ((isCluster ? notOfClusters : ofClusters).has(rule)) continue;
    const reply = own.call(name!, ...args.map((each) => (each === 'K' ? sharedKeys.synced('check') : each)));
    if (await isRefused(reply)) refused.push(rule);
    // It would execute what follows, too.
    else if ((await reply.catch(() => 'QUEUED')) !== 'QUEUED') return null;
  }
  return refused;
}

async function refusedSubscription(own: Redis, isCluster: boolean): Promise<string[]> {
  const channel = sharedKeys.synced('check');
  const [subscribe, unsubscribe] = subscriptions[isCluster ? 1 : 0];
  const refused = (await isRefused(own[subscribe](channel))) ? [subscribe] : [];
  return (await isRefused(own[unsubscribe](channel))) ? [...refused, unsubscribe] : refused;
}

/** @throws if there is no reply */
async function isRefused(reply: Promise<unknown>): Promise<boolean> {
  try {
    await reply;
    return false;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ReplyError') throw error;
    return refusalOf(error) === 'NOPERM' || /unknown (?:sub)?command/i.test(error.message);
  }
}

function ruleOf([name, argument]: readonly string[]): string {
  return name === 'cluster' ? `${name}|${argument}` : name!;
}

export interface MasterMemory {
  /** `host:port` */
  master: string;
  bytes: number;
  bytesMax: number | null;
  /** Keys evicted since the master was started. */
  evictedKeys: number | null;
}

/** Omits masters that do not reply. */
export async function memoryOfMasters({ commands }: Pick<Connections, 'commands'>): Promise<MasterMemory[]> {
  const read = await Promise.allSettled(mastersOf(commands).map((master) => memoryOf(master)));
  return read.flatMap((each) => (each.status === 'fulfilled' && each.value !== null ? [each.value] : []));
}

async function memoryOf(redis: Redis): Promise<MasterMemory | null> {
  const info = (await Promise.all(['memory', 'stats'].map((section) => redis.info(section)))).join('\r\n');
  const field = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  const [bytes, bytesMax, evictedKeys] = [field('used_memory'), field('maxmemory'), field('evicted_keys')];
  if (Number.isNaN(bytes)) return null;
  return { master: addressOf(redis), bytes, bytesMax: bytesMax > 0 ? bytesMax : null, evictedKeys: Number.isNaN(evictedKeys) ? null : evictedKeys };
}
