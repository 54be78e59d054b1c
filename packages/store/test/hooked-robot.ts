import assert from 'node:assert/strict';
import type { EventName } from '@perch/schema';
import type { Store } from '../src/index.js';
import { robotKeys } from '../src/redis/keys.js';
import { held } from './fixtures.js';

export async function robotOf(store: Store, account: string): Promise<{ robot: string; happen: (...names: EventName[]) => Promise<number> }> {
  const { robot, token } = await store.robots.create({ account });
  const record = await store.robots.byToken(token);
  const { session } = await held(store, robot, { tokenHash: record!.tokenHash! });
  let inSeq = 0;
  return {
    robot,
    async happen(...names) {
      const events = names.map((name) => ({ name, data: {} }));
      const appended = await store.events.append(robot, { session, bootId: 'boot1', inSeq: ++inSeq, events });
      assert.ok(appended.appended);
      return appended.lastSeq;
    },
  };
}

export const url = 'https://example.com/';
export const mark = (store: Store, robot: string) => store.connections.commands.hget(robotKeys.log(robot), 'hooked');

export async function handedOn(store: Store, account: string, webhook: string): Promise<string[]> {
  return (await store.deliveries.list({ account, id: webhook }))
    .map(({ payload }) => `${String(payload['type'])} ${(payload['data'] as { seq: number }).seq}`)
    .toReversed();
}
