import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Store } from '@perch/store';
import { until } from '@perch/testkit';
import { PerchWithStore } from './run-perch.js';

describe('perch robot', () => {
  let cli: PerchWithStore;
  let store: Store;
  before(async () => {
    cli = await PerchWithStore.open();
    ({ store } = cli);
  });
  after(() => cli?.store.close());

  it('adds a robot with a valid token, and a key for it', async () => {
    const account = await cli.addAccount();
    const { robot, robot_token } = await cli.json<{ robot: string; robot_token: string }>(`robot add --account ${account} --name Desk`);
    assert.equal((await store.robots.byToken(robot_token))?.id, robot);
    const { api_key, id } = await cli.json<{ api_key: string; id: string }>(`key add --account ${account}`);
    const admission = await store.apiKeys.admit({ apiKey: api_key, robot: { id: robot, account }, cost: 0 });
    assert.ok(admission.ok);
    assert.deepEqual(
      (await store.apiKeys.list(account)).map((key) => key.id),
      [id],
    );
    const { robots } = await cli.json<{ robots: { robot: string; name: string; online: boolean }[] }>(`robot list --account ${account}`);
    assert.deepEqual(
      robots.map(({ robot: listed, name, online }) => ({ listed, name, online })),
      [{ listed: robot, name: 'Desk', online: false }],
    );
  });

  it('lists an account of 250 robots ascending by id, up to --limit, and only those of --firmware or --online', async () => {
    const account = await cli.addAccount();
    const made = await Promise.all(Array.from({ length: 250 }, () => store.robots.ensure({ account, firmware: '1.0' })));
    const { robot: other } = await cli.json<{ robot: string }>(`robot add --account ${account} --name Other`);
    const ids = [...made, other].toSorted();
    const list = async (flags: string): Promise<string[]> =>
      (await cli.json<{ robots: { robot: string }[] }>(`robot list --account ${account} ${flags}`)).robots.map(({ robot }) => robot);
    assert.deepEqual(await list('--no-online'), ids);
    assert.deepEqual(await list('--limit 120'), ids.slice(0, 120));
    assert.deepEqual((await list('--firmware 1.0')).length, 250);
    assert.deepEqual(await list('--online'), []);
    const { out } = await cli.run(`robot list --account ${account}`);
    assert.deepEqual(
      out
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((row) => row.split(' ')[0]),
      ids,
    );
  });

  it('lists a robot that moves between instances as online, as GET /v1/robots does', async () => {
    const account = await cli.addAccount();
    const { robot } = await cli.json<{ robot: string }>(`robot add --account ${account}`);
    const session = 's-moves0000';
    const tokenHash = (await store.robots.get(robot))?.tokenHash ?? '';
    await store.leases.take(robot, { session, bootId: 'b', dial: 1, tokenHash, model: 'm', firmware: 'f', hello: {} });
    assert.equal(await store.leases.release(robot, session, 'moving'), true);
    const { robots } = await cli.json<{ robots: { robot: string; online: boolean }[] }>(`robot list --account ${account}`);
    assert.deepEqual(
      robots.map(({ robot: id, online }) => ({ id, online })),
      [{ id: robot, online: true }],
    );
    assert.match((await cli.run(`robot list --account ${account}`)).out, new RegExp(`${robot} +${robot} +online`));
    await store.leases.release(robot, session, 'away');
  });

  it('adds the robot that shows a pairing code', async () => {
    const account = await cli.addAccount();
    const { deviceCode, userCode } = await store.pairing.begin({ serial: randomUUID(), model: 'm', firmware: 'f' });
    const { robot } = await cli.json<{ robot: string }>(`robot add --account ${account} --code ${userCode}`);
    const polled = await store.pairing.poll(deviceCode);
    assert.ok(typeof polled === 'object');
    assert.equal(polled.robot, robot);
    assert.equal((await cli.run(`robot add --account ${account} --code ZZZZ-ZZZZ`)).code, 1);
  });

  it('removes a robot, and has its instance close the session as revoked', async () => {
    const account = await cli.addAccount();
    const { robot, robot_token } = await cli.json<{ robot: string; robot_token: string }>(`robot add --account ${account}`);
    const received: unknown[] = [];
    const leave = await store.linkMailbox.receive(store.instance, (message) => received.push(message));
    const tokenHash = (await store.robots.get(robot))?.tokenHash ?? '';
    const taken = await store.leases.take(robot, { session: 's-12345678', bootId: 'b', dial: 1, tokenHash, model: 'm', firmware: 'f', hello: {} });
    assert.ok(!('refused' in taken));

    assert.deepEqual(await cli.json(`robot remove ${robot}`), { robot, removed: true });
    await until(() => received.length > 0);
    assert.deepEqual(received, [{ t: 'close', robot, session: 's-12345678', code: 4003 }]);
    assert.equal(await store.robots.byToken(robot_token), null);
    assert.equal((await cli.run(`robot remove ${robot}`)).code, 1);
    await leave();
  });
});
