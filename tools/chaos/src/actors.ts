/** The actors of a round: two accounts, with an API key for each program, one key to revoke, and robots. */
import { randomUUID } from 'node:crypto';
import type { Store } from '@perch/store';
import { keysOf, type Tenant } from './programs/traffic.js';

export interface Actors {
  tenants: Tenant[];
  robots: { id: string; account: string; token: string }[];
}

const accounts = 2;
const robotsEach = 6;

/** @throws {StoreError} when Redis does not answer */
export async function createActors(store: Store): Promise<Actors> {
  const made = await Promise.all(Array.from({ length: accounts }, () => newTenant(store)));
  return {
    tenants: made.map(({ robots, ...tenant }) => ({ ...tenant, robots: robots.map(({ id }) => id) })),
    robots: Array.from({ length: robotsEach }, (_, i) => made.map(({ robots }) => robots[i]!)).flat(),
  };
}

async function newTenant(store: Store): Promise<Omit<Tenant, 'robots'> & Pick<Actors, 'robots'>> {
  const { account } = await store.accounts.create({ email: `${randomUUID()}@example.com` });
  const [keys, revoked, robots] = await Promise.all([
    Promise.all(Array.from({ length: keysOf(robotsEach) }, () => store.apiKeys.create({ account, name: 'chaos' }))),
    store.apiKeys.create({ account, name: 'chaos, to be revoked' }),
    Promise.all(Array.from({ length: robotsEach }, () => store.robots.create({ account }))),
  ]);
  return { account, keys, revoked, robots: robots.map(({ robot, token }) => ({ id: robot, account, token })) };
}
