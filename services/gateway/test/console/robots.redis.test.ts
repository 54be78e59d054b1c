import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { StoreError } from '@perch/store';
import { useGateway, useOwner } from '../gateway-under-test.js';
import { failure, SessionClient } from './session-client.js';

describe('robots of an account in the console', () => {
  const system = useGateway();
  const owner = useOwner(system, null);
  let page: SessionClient;

  beforeEach(async () => {
    page = await SessionClient.signIn(system, owner.account);
  });

  it('lists the robots of the account with their status', async () => {
    const [listed] = (await page.ask('GET', 'robots')).body.robots;
    assert.deepEqual(
      [listed.id, listed.name, listed.online, listed.model, listed.firmware, listed.virtual, listed.battery_pct, listed.last_seen],
      [owner.robot, 'Desk', false, '', '', false, null, null],
    );
    assert.match(listed.created_at, /^\d{4}-.*Z$/);
    await system.link.take(owner.robot, owner.token);
    const { body } = await page.ask('GET', 'robots');
    assert.deepEqual([body.ok, body.total, body.robots[0].online, body.robots[0].model], [true, 1, true, 'stackchan-k151']);
    assert.ok(Math.abs(Date.parse(body.robots[0].last_seen) - system.store.clock.now()) < 10_000);
  });

  it('creates a virtual robot and returns its token once, and replaces the token on request', async () => {
    const { status, body } = await page.ask('POST', 'robots', { virtual: true, name: 'Pip' });
    assert.equal(status, 200);
    assert.deepEqual([body.robot.name, body.robot.virtual, body.robot.online], ['Pip', true, false]);
    assert.equal((await system.store.robots.byToken(body.token))?.id, body.robot.id);
    const renewed = (await page.ask('POST', `robots/${body.robot.id}/token`, {})).body.token;
    assert.equal(await system.store.robots.byToken(body.token), null);
    assert.equal((await system.store.robots.byToken(renewed))?.id, body.robot.id);
    assert.ok(!JSON.stringify((await page.ask('GET', 'robots')).body).includes(renewed));
    assert.deepEqual(failure(await page.ask('POST', `robots/${owner.robot}/token`, {})), [409, false, 'conflict', undefined]);
  });

  it('pairs a robot by its code with a name, names the field of a wrong code, and rate-limits wrong codes', async () => {
    const begun = await system.store.pairing.begin({ serial: 's-1', model: 'm', firmware: '1' });
    const { body } = await page.ask('POST', 'robots', { code: begun.userCode.toLowerCase(), name: 'Body' });
    assert.deepEqual([body.robot.name, body.robot.model, body.robot.virtual, body.token], ['Body', 'm', false, undefined]);
    for (let i = 0; i < 10; i++)
      assert.deepEqual(failure(await page.ask('POST', 'robots', { code: 'BCDFGHJK' })), [400, false, 'bad_argument', 'code']);
    const refused = await page.ask('POST', 'robots', { code: 'BCDFGHJK' });
    assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited']);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
  });

  it('renames a robot, and revokes its token when it is removed', async () => {
    assert.equal((await page.ask('PATCH', `robots/${owner.robot}`, { name: ' Kitchen ' })).body.robot.name, 'Kitchen');
    assert.deepEqual(failure(await page.ask('PATCH', `robots/${owner.robot}`, { name: 'x'.repeat(65) })), [400, false, 'bad_argument', 'name']);
    assert.deepEqual((await page.ask('DELETE', `robots/${owner.robot}`)).body, { ok: true });
    assert.equal(await system.store.robots.byToken(owner.token), null);
    assert.deepEqual((await page.ask('GET', 'robots')).body, { ok: true, robots: [], total: 0, next: null, shared: [] });
    assert.equal((await page.ask('DELETE', `robots/${owner.robot}`)).status, 404);
  });

  it('changes the settings of a robot, which has them at once, and names the field that is wrong', async () => {
    const path = `robots/${owner.robot}`;
    const settings = { time_zone: 'Europe/Berlin', volume_max: 40, quiet_hours: { from: '22:00', to: '07:00' } };
    const { body } = await page.ask('PATCH', path, { ...settings, labels: { room: 'r7' } });
    const { name, labels, time_zone, volume_max, quiet_hours } = body.robot;
    assert.deepEqual({ name, labels, time_zone, volume_max, quiet_hours }, { ...settings, name: 'Desk', labels: { room: 'r7' } });
    assert.deepEqual((await page.ask('PATCH', path, { labels: { floor: '2' }, name: '' })).body.robot.labels, { floor: '2' });
    const [listed] = (await page.ask('GET', 'robots')).body.robots;
    assert.deepEqual([listed.name, listed.time_zone, listed.volume_max, listed.quiet_hours], ['', 'Europe/Berlin', 40, settings.quiet_hours]);
    for (const [wrong, field] of [
      [{ time_zone: 'Berlin' }, 'time_zone'],
      [{ volume_max: 101 }, 'volume_max'],
      [{ quiet_hours: { from: '22', to: '07:00' } }, 'quiet_hours.from'],
      [{ labels: { room: 'a;b' } }, 'labels'],
      [{}, undefined],
    ] as const)
      assert.deepEqual(failure(await page.ask('PATCH', path, { name: 'Not changed', ...wrong, ...(field === undefined && { name: undefined }) })), [
        400,
        false,
        'bad_argument',
        field,
      ]);
    assert.equal((await page.ask('GET', path)).body.robot.name, '');
  });

  it('refuses to add a robot to an account with 200 robots', async () => {
    await system.store.connections.commands.sadd(`perch:{${owner.account}}:robots`, ...Array.from({ length: 200 }, (_, i) => `r-${i}`));
    assert.deepEqual(failure(await page.ask('POST', 'robots', { virtual: true })), [409, false, 'conflict', undefined]);
  });

  it('pairs a robot of the account again only with replace: true, however many robots it holds; a new one is refused and its code stays valid', async () => {
    const [known, fresh] = [randomUUID(), randomUUID()];
    const { robot } = await system.store.robots.create({ account: owner.account, serial: known });
    const others = Array.from({ length: 200 }, (_, i) => `r-${i}`);
    await system.store.connections.commands.sadd(`perch:{${owner.account}}:robots`, ...others);
    const codeOf = async (serial: string) => (await system.store.pairing.begin({ serial, model: 'm', firmware: '1' })).userCode;
    const knownCode = await codeOf(known);
    assert.deepEqual(failure(await page.ask('POST', 'robots', { code: knownCode })), [409, false, 'conflict', 'replace']);
    const looked = await page.ask('POST', 'pairings', { code: knownCode });
    assert.deepEqual(looked.body, {
      ok: true,
      pairing: { serial: known, model: 'm', firmware: '1', network: '', replaces: { id: robot, name: '' } },
    });
    const again = await page.ask('POST', 'robots', { code: knownCode, replace: true });
    assert.deepEqual([again.status, again.body.robot?.id], [200, robot]);
    const code = await codeOf(fresh);
    assert.deepEqual(failure(await page.ask('POST', 'robots', { code })), [409, false, 'conflict', undefined]);
    await system.store.connections.commands.srem(`perch:{${owner.account}}:robots`, ...others);
    assert.equal((await page.ask('POST', 'robots', { code })).status, 200);
  });

  it('reports a robot as added even if its name could not be stored', async () => {
    const { userCode } = await system.store.pairing.begin({ serial: randomUUID(), model: 'm', firmware: '1' });
    const { robots } = system.store;
    const rename = robots.rename.bind(robots);
    robots.rename = () => Promise.reject(new StoreError('unavailable', 'Redis: away for a moment'));
    try {
      const { status, body } = await page.ask('POST', 'robots', { code: userCode, name: 'Body' });
      assert.deepEqual([status, body.robot?.name, body.robot?.model], [200, '', 'm']);
    } finally {
      robots.rename = rename;
    }
  });
});
