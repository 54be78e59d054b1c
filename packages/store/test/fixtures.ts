import { randomBytes } from 'node:crypto';
import { redisUrl } from '@perch/testkit';
import { openStore, type Store } from '../src/index.js';
import { robotKeys } from '../src/keys.js';
import { JobShards } from '../src/jobs/job-shards.js';
import type { Hello } from '../src/robots/leases.js';
import type { Connections } from '../src/redis/connections.js';
import { checkScriptOutputs } from './checked-scripts.js';

const opened: Store[] = [];

/** `closeStores` closes it. What scripts return is compared with their headers. */
export async function testStore(instance = `test-${randomBytes(4).toString('hex')}`): Promise<Store> {
  const store = await openStore({ url: await redisUrl(), instance });
  checkScriptOutputs(store.connections);
  opened.push(store);
  return store;
}

export async function closeStores(): Promise<void> {
  await Promise.all(opened.splice(0).map((store) => store.close()));
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
