import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { openStore, type Store } from '@perch/store';
import { redisUrl, until } from '@perch/testkit';
import { runPerch, runPerchJson, type Ran } from './run-perch.js';

describe('perch robot set', () => {
  let environment: Record<string, string>;
  let store: Store;
  let robot: string;
  let token: string;
  before(async () => {
    const url = await redisUrl();
    environment = { PERCH_REDIS_URL: url };
    store = await openStore({ url, instance: `test-${randomUUID().slice(0, 8)}` });
    const { account } = await store.accounts.create({ email: `${randomUUID()}@example.org` });
    ({ robot, token } = await store.robots.create({ account, name: 'Desk' }));
  });
  after(() => store?.close());

  const set = (...options: string[]): Promise<Ran> => runPerch(environment, ['robot', 'set', robot, ...options]);

  it('changes the settings that are given, and prints all of them', async () => {
    assert.equal((await set()).out, `${robot} Desk\ntime zone UTC, highest volume not limited, quiet hours none\n`);
    const { out } = await set('--time-zone', 'europe/berlin', '--volume-max', '60', '--quiet-hours', '22:00-07:00');
    assert.equal(out, `${robot} Desk\ntime zone Europe/Berlin, highest volume 60 %, quiet hours 22:00-07:00\n`);
    const answer = await runPerchJson(environment, ['robot', 'set', robot, '--quiet-hours', 'none', '--name', ' Kitchen ']);
    assert.deepEqual(answer, { robot, name: 'Kitchen', time_zone: 'Europe/Berlin', volume_max: 60, quiet_hours: null });
  });

  it('exits with 64 for an invalid value and with 1 for an unknown robot, and changes nothing', async () => {
    const before = (await set()).out;
    for (const wrong of [
      ['--time-zone', 'Mars'],
      ['--volume-max', '101'],
      ['--volume-max', ''],
      ['--volume-max', '1e2'],
      ['--quiet-hours', '22-7'],
      ['--quiet-hours', '22:00'],
      ['--quiet-hours', '07:00-07:00'],
      ['--quiet-hours', '22:00-07:00-08:00'],
      ['--name', 'a\nb'],
    ]) {
      const { code, err } = await set('--volume-max', '5', ...wrong);
      assert.equal(code, 64, wrong.join());
      assert.ok(err.includes(wrong[0]!), err);
    }
    assert.match((await runPerch(environment, ['robot', 'set', 'r-0000000000', '--volume-max', '1'])).err, /there is no robot r-0000000000/);
    assert.equal((await set()).out, before);
  });

  it('has the robot-link that holds the robot read the settings', async () => {
    const read: string[] = [];
    await store.linkMailbox.receive(store.instance, (message) => {
      if (message.t === 'state' && message.settings === true) read.push(message.robot);
    });
    const record = (await store.robots.byToken(token))!;
    const hello = { session: 's-one', bootId: 'b', dial: 1, tokenHash: record.tokenHash!, model: 'm', firmware: '1', hello: {} };
    assert.ok(!('refused' in (await store.leases.take(robot, hello))));
    await set('--volume-max', '10');
    await until(() => read.includes(robot), { what: 'the message to the robot-link' });
  });
});
