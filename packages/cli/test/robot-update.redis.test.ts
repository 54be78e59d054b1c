import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import type { StoredRobotUpdate, ToLink } from '@perch/schema';
import { openStore, type Store } from '@perch/store';
import { redisUrl, until } from '@perch/testkit';
import { runPerch, runPerchJson, type Ran } from './run-perch.js';

describe('perch robot update', () => {
  let environment: Record<string, string>;
  let store: Store;
  let account: string;
  let robot: string;
  const received: ToLink[] = [];
  before(async () => {
    const url = await redisUrl();
    environment = { PERCH_REDIS_URL: url };
    store = await openStore({ url, instance: `link-${randomUUID().slice(0, 8)}` });
    await store.linkMailbox.receive(store.instance, (message) => void received.push(message));
  });
  beforeEach(async () => {
    received.length = 0;
    ({ account } = await store.accounts.create({ email: `${randomUUID()}@example.org` }));
    const made = await store.robots.create({ account });
    ({ robot } = made);
    await store.leases.take(robot, {
      session: 's-1',
      bootId: 'b',
      dial: 1,
      started: true,
      tokenHash: createHash('sha256').update(made.token).digest('hex'),
      model: 'm',
      firmware: 'micropython-1.27.0 perch-0.1',
      hello: {},
    });
  });
  after(() => store?.close());

  const update = (...options: string[]): Promise<Ran> => runPerch(environment, ['robot', 'update', robot, ...options]);
  const become = (stored: Partial<StoredRobotUpdate>): Promise<unknown> =>
    store.robots.updates.change(account, robot, (before) => ({
      offered: '0.2',
      state: 'none',
      version: '0.2',
      at: store.clock.now(),
      ...before,
      ...stored,
    }));

  it('prints the status without changing anything', async () => {
    assert.equal((await update('--status')).code, 1);
    await become({});
    assert.equal((await update('--status')).out, `${robot} runs 0.1, and 0.2 is offered\n`);
    const answer = await runPerchJson(environment, ['robot', 'update', robot, '--status']);
    assert.deepEqual(answer, { robot, state: 'offered', current: '0.1', offered: '0.2', error: null });
    assert.deepEqual(received, []);
  });

  it('tells the robot-link that holds the robot, records the request, and waits for the end', async () => {
    await become({});
    const ran = update();
    await until(() => received.length === 1);
    assert.deepEqual([received[0]?.t, (await store.robots.updates.read(robot))?.state], ['state', 'requested']);
    await become({ state: 'failed', error: 'no room' });
    const { code, out, err } = await ran;
    assert.deepEqual([code, out], [1, `${robot} runs 0.1; the update to 0.2 failed: no room\n`]);
    assert.match(err, /begins when the robot is not busy/);
    const { entries } = await store.activity.read(account, { after: 0, before: null, limit: 10, kind: null, accept: () => true });
    assert.deepEqual(
      entries.map(({ via, action, outcome, robot: of }) => [via, action, outcome, of]),
      [['operator', 'robot_update', 'ok', robot]],
    );
  });

  it('exits with 1 and says why there is nothing to update', async () => {
    assert.match((await update()).err, /the version of this service already/);
    await become({ state: 'updating' });
    assert.match((await update('--no-wait')).err, /has been started already/);
    assert.equal((await runPerch(environment, ['robot', 'update', 'r-0000000000'])).code, 1);
  });
});
