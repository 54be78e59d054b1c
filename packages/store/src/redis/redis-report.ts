/** What `perch redis check` reads of a Redis. No instance is started for it, so that it also reports a Redis on which none would start. */
import { StoreError } from '../errors.js';
import { dataVersions, requireReadableData } from '../versions/data-version.js';
import { optionalCommands, refusedCommands } from './command-permissions.js';
import { connect, type Connections, type ConnectOptions } from './connections.js';
import { defaultUsersOf, servesWithoutPassword, type DefaultUser } from './default-user.js';
import { LostWrites } from './lost-writes.js';
import { redisCapabilities, type RedisCapability } from './redis-capabilities.js';

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
    return await new LostWrites(redis, { withBeat: () => {} }, () => {}).check();
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}
