import assert from 'node:assert/strict';
import { hello } from '../test-link.js';
import { useGateway, useOwner } from '../gateway-under-test.js';
import { SessionClient } from './session-client.js';

describe('the signed robot program', () => {
  const program = { version: '0.4', key: '0a'.repeat(32) };
  const system = useGateway({ robotProgram: program });
  const owner = useOwner(system, null);

  it('reaches a browser that is signed in, and no other', async () => {
    const page = await SessionClient.signIn(system, owner.account);
    assert.deepEqual((await page.ask('GET', 'robot-program')).body, { ok: true, program });
    assert.equal((await fetch(`${system.base}/console/robot-program`)).status, 401);
  });
});

describe('updates of the robot program on the page', () => {
  const system = useGateway();
  const owner = useOwner(system, null);
  let page: SessionClient;
  beforeEach(async () => {
    page = await SessionClient.signIn(system, owner.account);
  });

  const offer = () => system.store.robots.updates.change(owner.account, owner.robot, () => ({ offered: '0.2', state: 'none', version: '', at: 1 }));
  const connect = () => system.link.take(owner.robot, owner.token, hello, 'micropython-1.27.0 perch-0.1');
  const read = async (): Promise<unknown> => (await page.ask('GET', `robots/${owner.robot}`)).body.robot.update;
  const update = () => page.ask('POST', `robots/${owner.robot}/update`, {});

  it('lists what the robot runs and is offered, and starts the update on request, once', async () => {
    await connect();
    assert.equal(await read(), undefined);
    await offer();
    assert.deepEqual(await read(), { state: 'offered', current: '0.1', offered: '0.2', error: null });
    const { status, body } = await update();
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.robot.update, { state: 'requested', current: '0.1', offered: '0.2', error: null });
    assert.equal((await system.store.robots.updates.read(owner.robot))?.state, 'requested');
    const again = await update();
    assert.deepEqual([again.status, again.body.code], [409, 'conflict']);
  });

  it('shows why the last update failed', async () => {
    await connect();
    const failed = { offered: '0.2', state: 'failed', version: '0.2', at: 1, error: 'no room' } as const;
    await system.store.robots.updates.change(owner.account, owner.robot, () => failed);
    assert.deepEqual(await read(), { state: 'failed', current: '0.1', offered: '0.2', error: 'no room' });
  });

  it('refuses an update with 409 for another program, without an offer and while the robot is away, and with 404 for a robot of another account', async () => {
    await system.link.take(owner.robot, owner.token);
    assert.match((await update()).body.error, /does not run the robot program/);
    await connect();
    assert.match((await update()).body.error, /the version of this service already/);
    await offer();
    await system.link.release(owner.robot, 'away');
    const { status, body } = await update();
    assert.deepEqual([status, body.code], [409, 'conflict']);
    assert.match(body.error, /not connected/);
    const other = await SessionClient.signIn(system, (await system.owner()).account);
    assert.equal((await other.ask('POST', `robots/${owner.robot}/update`, {})).status, 404);
  });
});
