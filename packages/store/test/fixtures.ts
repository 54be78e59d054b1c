import { randomBytes } from 'node:crypto';
import { redisAdminUrl, redisAt, redisUrl } from '@perch/testkit';
import { Cluster, type Redis } from 'ioredis';
import { openStore, type Store } from '../src/index.js';
import { accountKeys, robotKeys, sharedKeys } from '../src/redis/keys.js';
import { JobShards } from '../src/jobs/job-shards.js';
import type { Hello } from '../src/robots/leases.js';
import { numberBeside } from '../src/redis/cluster-nodes.js';
import { connect, type Connections } from '../src/redis/connections.js';
import { checkScriptOutputs } from './checked-scripts.js';

const opened: { close(): Promise<void> }[] = [];

/** `closeStores` closes it. What scripts return is compared with their headers. */
export async function testStore(instance = `test-${randomBytes(4).toString('hex')}`): Promise<Store> {
  const store = await openStore({ ...redisAt(await redisUrl()), instance });
  checkScriptOutputs(store.connections);
  opened.push(store);
  return store;
}

export async function closeStores(): Promise<void> {
  await Promise.all(opened.splice(0).map((store) => store.close()));
}

/** Connects as an administrator, for commands that the service does not use; the user `perch` may not call them. `closeStores` closes it. */
export async function testAdmin(): Promise<Connections> {
  const connections = await connect({ url: await redisAdminUrl() });
  opened.push(connections);
  return connections;
}

export function mastersOf({ commands }: Connections): Redis[] {
  return commands instanceof Cluster ? commands.nodes('master') : [commands];
}

/** Returns the names of the keys that match the pattern, of all masters. */
export async function keysOf(redis: Connections, pattern: string): Promise<string[]> {
  const keys = new Set<string>();
  for (const master of mastersOf(redis))
    for await (const page of master.scanStream({ match: pattern, count: 1000 })) for (const key of page as string[]) keys.add(key);
  return [...keys];
}

/** Returns how often clients and scripts called a command, on all masters. */
export async function callsOf(redis: Connections, command: string): Promise<number> {
  const stats = await Promise.all(mastersOf(redis).map((master) => master.info('commandstats')));
  return stats.reduce((sum, text) => sum + Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(text)?.[1] ?? 0), 0);
}

/** Returns the number of the media budget that the account's media count in: each master has one. */
export function budgetOf({ commands }: Connections, account: string): number {
  return numberBeside(commands, accountKeys.quota(account), sharedKeys.mediaBudget) ?? 0;
}

/** Writes the record directly, so that tests of leases do not depend on accounts. */
export async function testRobot(store: Store): Promise<string> {
  const robot = `r-${randomBytes(5).toString('hex')}`;
  await store.connections.commands.hset(robotKeys.record(robot), {
    account: 'a-test',
    token_hash: 'hash',
    created_at: Math.round(store.clock.now()) - 60_000,
  });
  return robot;
}

export function hello(overrides: Partial<Hello> = {}): Hello {
  return {
    session: `s-${randomBytes(4).toString('hex')}`,
    bootId: 'boot1',
    dial: 1,
    tokenHash: 'hash',
    model: 'm',
    firmware: '1',
    hello: {},
    ...overrides,
  };
}

export async function held(store: Store, robot: string, overrides: Partial<Hello> = {}): Promise<Hello> {
  const session = hello(overrides);
  const taken = await store.leases.take(robot, session);
  if ('refused' in taken) throw new Error(taken.refused);
  return session;
}

/** Returns the job shards of an instance without announcements: all instances of a test have the same number. */
export function shardsOf(redis: Connections, count = 1): JobShards {
  return new JobShards({ redis, instance: `test-${randomBytes(4).toString('hex')}`, count, onError: () => {} });
}
