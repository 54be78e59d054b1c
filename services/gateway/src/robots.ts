/** The robots of a key, as GET /v1/robots lists them. */
import type { Robot } from '@perch/schema';
import type { AdmittedKey, Store } from '@perch/store';
import { robotFields } from './robot-states.js';

export async function listRobots(store: Pick<Store, 'robots' | 'leases'>, key: Pick<AdmittedKey, 'account' | 'robots'>): Promise<Robot[]> {
  const records = (await store.robots.list(key.account)).filter((record) => key.robots === '*' || key.robots.includes(record.id));
  const leases = await store.leases.findAll(records.map((record) => record.id));
  return records.map((record, i) => robotFields(record, leases[i]?.state !== 'away'));
}
