import assert from 'node:assert/strict';
import { hash, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { StoreError } from '@perch/store';
import { until } from '@perch/testkit';
import { TestSystem, pngBase64, type Owner } from '../test-system.js';
import { SessionClient } from './session-client.js';

describe('resources of an account in the console', () => {
  let bench: TestSystem;
  let owner: Owner;
  let page: SessionClient;
  let otherAccount: SessionClient;

  before(async () => {
    bench = await TestSystem.start();
  });
  beforeEach(async () => {
    owner = await bench.owner();
    page = await SessionClient.signIn(bench, owner.account);
    otherAccount = await SessionClient.signIn(bench, (await bench.owner()).account);
  });
  after(() => bench.stop());

  const failure = ({ status, body }: { status: number; body: any }): unknown[] => [status, body.ok, body.code, body.field];

  it('lists the robots of the account with their status', async () => {
    const [listed] = (await page.ask('GET', 'robots')).body.robots;
    assert.deepEqual(
      [listed.id, listed.name, listed.online, listed.model, listed.firmware, listed.virtual, listed.battery_pct, listed.last_seen],
      [owner.robot, 'Desk', false, '', '', false, null, null],
    );
    assert.match(listed.created_at, /^\d{4}-.*Z$/);
    await bench.link.take(owner.robot, owner.token);
    const { body } = await page.ask('GET', 'robots');
    assert.deepEqual([body.ok, body.total, body.robots[0].online, body.robots[0].model], [true, 1, true, 'stackchan-k151']);
    assert.ok(Math.abs(Date.parse(body.robots[0].last_seen) - bench.store.clock.now()) < 10_000);
  });

  it('creates a virtual robot and returns its token once, and replaces the token on request', async () => {
    const { status, body } = await page.ask('POST', 'robots', { virtual: true, name: 'Pip' });
    assert.equal(status, 200);
    assert.deepEqual([body.robot.name, body.robot.virtual, body.robot.online], ['Pip', true, false]);
    assert.equal((await bench.store.robots.byToken(body.token))?.id, body.robot.id);
    const renewed = (await page.ask('POST', `robots/${body.robot.id}/token`, {})).body.token;
    assert.equal(await bench.store.robots.byToken(body.token), null);
    assert.equal((await bench.store.robots.byToken(renewed))?.id, body.robot.id);
    assert.ok(!JSON.stringify((await page.ask('GET', 'robots')).body).includes(renewed));
    assert.deepEqual(failure(await page.ask('POST', `robots/${owner.robot}/token`, {})), [409, false, 'conflict', undefined]);
  });

  it('pairs a robot by its code with a name, names the field of a wrong code, and rate-limits wrong codes', async () => {
    const begun = await bench.store.pairing.begin({ serial: 's-1', model: 'm', firmware: '1' });
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
    assert.equal(await bench.store.robots.byToken(owner.token), null);
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
    await bench.store.connections.commands.sadd(`perch:{${owner.account}}:robots`, ...Array.from({ length: 200 }, (_, i) => `r-${i}`));
    assert.deepEqual(failure(await page.ask('POST', 'robots', { virtual: true })), [409, false, 'conflict', undefined]);
  });

  it('pairs a robot of the account again only with replace: true, however many robots it holds; a new one is refused and its code stays valid', async () => {
    const [known, fresh] = [randomUUID(), randomUUID()];
    const { robot } = await bench.store.robots.create({ account: owner.account, serial: known });
    const others = Array.from({ length: 200 }, (_, i) => `r-${i}`);
    await bench.store.connections.commands.sadd(`perch:{${owner.account}}:robots`, ...others);
    const codeOf = async (serial: string) => (await bench.store.pairing.begin({ serial, model: 'm', firmware: '1' })).userCode;
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
    await bench.store.connections.commands.srem(`perch:{${owner.account}}:robots`, ...others);
    assert.equal((await page.ask('POST', 'robots', { code })).status, 200);
  });

  it('reports a robot as added even if its name could not be stored', async () => {
    const { userCode } = await bench.store.pairing.begin({ serial: randomUUID(), model: 'm', firmware: '1' });
    const { robots } = bench.store;
    const rename = robots.rename.bind(robots);
    robots.rename = () => Promise.reject(new StoreError('unavailable', 'Redis: away for a moment'));
    try {
      const { status, body } = await page.ask('POST', 'robots', { code: userCode, name: 'Body' });
      assert.deepEqual([status, body.robot?.name, body.robot?.model], [200, '', 'm']);
    } finally {
      robots.rename = rename;
    }
  });

  const idsOfOtherKeys: Record<string, (email: string) => string> = {
    'an address': (email) => `email:${hash('sha256', email, 'hex')}`,
    'an API key': () => hash('sha256', owner.apiKey, 'base64url'),
    'a list': () => 'hooked-accounts',
    'an end of a hash tag': () => '}',
  };
  // Each with an account of its own: one account's requests are limited.
  for (const [what, idOf] of Object.entries(idsOfOtherKeys))
    it(`answers 404 for an id that matches the Redis key of ${what}, and changes nothing`, async () => {
      const { email } = (await bench.store.accounts.get(owner.account))!;
      const id = idOf(email);
      const at = encodeURIComponent(id);
      for (const [method, path, body] of [
        ['PATCH', `robots/${at}`, { name: 'mine' }],
        ['DELETE', `robots/${at}`],
        ['POST', `robots/${at}/token`, {}],
        ['GET', `robots/${at}/screen`],
        ['GET', `robots/${at}/screens`],
        ['GET', `robots/${at}/screens/s-1`],
        ['GET', `live?robot=${at}`],
      ] as const)
        assert.deepEqual(failure(await page.ask(method, path, body)), [404, false, 'unknown_robot', undefined], `${method} ${path}`);
      const { status, body } = await page.ask('POST', 'keys', { name: 'x', robots: [id] });
      assert.deepEqual([status, body.code], [400, 'bad_argument'], id);
      const { keys } = (await page.ask('GET', 'keys')).body;
      assert.deepEqual(
        keys.map(({ id: key, name }: { id: string; name: string }) => [key, name]),
        [[owner.keyId, '']],
      );
      assert.equal((await bench.ask('GET', '/v1/robots', { apiKey: owner.apiKey })).status, 200);
    });

  it('answers 413 with a fitting message for a large body', async () => {
    const { status, body } = await page.ask('PATCH', `robots/${owner.robot}`, { name: 'x'.repeat(20_000) });
    assert.deepEqual([status, body.error], [413, 'The body is larger than 16384 bytes. Send less at once.']);
  });

  it('refuses a chunked body over 16 KB with 413 although it has arrived completely before the session is admitted', async () => {
    const { host, port } = new URL(bench.base);
    const json = JSON.stringify({ name: 'x', padding: 'x'.repeat(20_000) });
    const head = [
      `PATCH /console/robots/${owner.robot} HTTP/1.1`,
      `host: ${host}`,
      ...Object.entries(page.headers).map(([name, value]) => `${name}: ${value}`),
      'content-type: application/json',
      'transfer-encoding: chunked',
      'connection: close',
    ];
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(`${head.join('\r\n')}\r\n\r\n${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`);
      });
      socket.on('data', (data) => (text += data.toString())).on('close', () => resolve(text));
      socket.on('error', reject);
    });
    assert.match(answer, /^HTTP\/1\.1 413 /);
    assert.match(answer, /"code":"body_too_large"/);
  });

  it('answers 404 for resources of another account', async () => {
    for (const [method, path, body] of [
      ['PATCH', `robots/${owner.robot}`, { name: 'mine' }],
      ['DELETE', `robots/${owner.robot}`],
      ['POST', `robots/${owner.robot}/token`, {}],
      ['GET', `robots/${owner.robot}/screen`],
      ['GET', `robots/${owner.robot}/screen?id=w1`],
      ['GET', `robots/${owner.robot}/screens`],
      ['GET', `robots/${owner.robot}/screens/s-1`],
      ['GET', `live?robot=${owner.robot}`],
    ] as const)
      assert.deepEqual(failure(await otherAccount.ask(method, path, body)), [404, false, 'unknown_robot', undefined], `${method} ${path}`);
    assert.equal((await otherAccount.ask('DELETE', `keys/${owner.keyId}`)).status, 404);
    assert.deepEqual(failure(await otherAccount.ask('POST', 'keys', { name: 'x', robots: [owner.robot] })), [
      400,
      false,
      'bad_argument',
      'robots[0]',
    ]);
    assert.equal((await bench.ask('GET', '/v1/robots', { apiKey: owner.apiKey })).body.robots.length, 1);
    assert.ok((await otherAccount.ask('GET', 'robots')).body.robots.every(({ id }: { id: string }) => id !== owner.robot));
  });

  it('answers 401 without a session', async () => {
    for (const path of [
      'robots',
      'keys',
      'live',
      `robots/${owner.robot}/screen`,
      `robots/${owner.robot}/screens`,
      `robots/${owner.robot}/screens/s-1`,
    ]) {
      const { status, body } = await bench.ask('GET', `/console/${path}`, { apiKey: owner.apiKey });
      assert.deepEqual([status, body.code], [401, 'signed_out'], path);
    }
  });

  it('creates a key, returns it once, lists it without its secret, and revokes it', async () => {
    const made = (await page.ask('POST', 'keys', { name: 'laptop', robots: [owner.robot], expires_at: '2099-01-01T00:00:00Z' })).body;
    assert.match(made.api_key, /^pk_/);
    const other = (await bench.store.robots.create({ account: owner.account })).robot;
    assert.deepEqual(
      (await bench.ask('GET', '/v1/robots', { apiKey: made.api_key })).body.robots.map(({ id }: { id: string }) => id),
      [owner.robot],
    );
    assert.equal((await bench.ask('GET', `/v1/robots/${other}`, { apiKey: made.api_key })).status, 404);
    const { keys } = (await page.ask('GET', 'keys')).body;
    const listed = keys.find(({ id }: { id: string }) => id === made.key.id);
    assert.deepEqual(
      [listed.name, listed.robots, listed.expires_at, typeof listed.last_used],
      ['laptop', [owner.robot], '2099-01-01T00:00:00.000Z', 'string'],
    );
    assert.ok(!JSON.stringify(keys).includes('pk_') && !JSON.stringify(keys).includes('ps_'));
    assert.deepEqual((await page.ask('DELETE', `keys/${made.key.id}`)).body, { ok: true, webhooks: [] });
    assert.equal((await bench.ask('GET', '/v1/robots', { apiKey: made.api_key })).status, 401);
    assert.equal((await page.ask('DELETE', `keys/${made.key.id}`)).status, 404);
  });

  it('names the key that created a webhook, and removes its webhooks on revocation only on request', async () => {
    const ofPage = (await page.ask('POST', 'v1/webhooks', { url: 'https://example.com/page' })).body.webhook;
    assert.equal(ofPage.created_by, null);
    const webhooks = async () => (await page.ask('GET', 'v1/webhooks')).body.webhooks as { id: string; created_by: unknown }[];
    for (const [choice, removed] of [
      ['', false],
      ['?webhooks=remove', true],
    ] as const) {
      const { key, api_key } = (await page.ask('POST', 'keys', { name: 'sender', robots: '*' })).body;
      const made = (await bench.ask('POST', '/v1/webhooks', { apiKey: api_key, body: { url: 'https://example.com/hook' } })).body.webhook;
      assert.deepEqual(made.created_by, { id: key.id, name: 'sender' });
      assert.deepEqual((await webhooks()).find(({ id }) => id === made.id)?.created_by, made.created_by);
      assert.ok(!JSON.stringify(await webhooks()).includes(hash('sha256', api_key, 'base64url').slice(0, 12)), 'the hash of the key is shown');
      assert.deepEqual(failure(await page.ask('DELETE', `keys/${key.id}?webhooks=yes`)), [400, false, 'bad_argument', 'webhooks']);
      const answer = (await page.ask('DELETE', `keys/${key.id}${choice}`)).body;
      assert.deepEqual(answer, { ok: true, webhooks: [{ id: made.id, url: 'https://example.com/hook', removed }] });
      const left = (await webhooks()).find(({ id }) => id === made.id);
      assert.deepEqual(left?.created_by, removed ? undefined : null);
    }
    assert.ok((await webhooks()).some(({ id }) => id === ofPage.id));
  });

  it('lists until when the previous secret works', async () => {
    const { key } = (await page.ask('POST', 'keys', { name: 'rolled', robots: '*' })).body;
    const until = async (): Promise<unknown> =>
      (await page.ask('GET', 'keys')).body.keys.find(({ id }: { id: string }) => id === key.id).former_secret_until;
    assert.deepEqual([key.former_secret_until, await until()], [undefined, undefined]);
    const rolled = await bench.store.keyRotation.roll(owner.account, key.id, 60_000);
    assert.ok(rolled !== null && typeof rolled !== 'string');
    assert.equal(await until(), new Date(rolled.formerUntil!).toISOString());
    await bench.store.keyRotation.endFormer(owner.account, key.id);
    assert.equal(await until(), undefined);
    await page.ask('DELETE', `keys/${key.id}`);
  });

  it('replaces the secret of a key, returns it once, and ends the old one after the overlap or on request', async () => {
    const { key, api_key: first } = (await page.ask('POST', 'keys', { name: 'rolled', robots: [owner.robot], scopes: ['read'] })).body;
    const statusOf = async (apiKey: string): Promise<number> => (await bench.ask('GET', '/v1/robots', { apiKey })).status;
    const roll = (overlap_s: unknown, as = page) => as.ask('POST', `keys/${key.id}/secret`, { overlap_s });
    const { headers, body } = await roll(3600);
    assert.equal(headers.get('cache-control'), 'no-store');
    const { api_key: second, key: rolled } = body;
    assert.match(second, /^pk_/);
    assert.equal(rolled.id, key.id);
    const lifeMs = Date.parse(rolled.former_secret_until) - bench.store.clock.now();
    assert.ok(lifeMs > 3_500_000 && lifeMs <= 3_600_000, String(lifeMs));
    assert.deepEqual([await statusOf(first), await statusOf(second)], [200, 200]);
    const listed = (await page.ask('GET', 'keys')).body.keys.find(({ id }: { id: string }) => id === key.id);
    assert.deepEqual([listed.name, listed.robots, listed.scopes], ['rolled', [owner.robot], ['read']]);
    assert.equal(listed.former_secret_until, rolled.former_secret_until);

    assert.equal((await otherAccount.ask('DELETE', `keys/${key.id}/former-secret`)).status, 404);
    assert.equal((await roll(0, otherAccount)).status, 404);
    assert.deepEqual((await page.ask('DELETE', `keys/${key.id}/former-secret`)).body, { ok: true });
    assert.deepEqual([await statusOf(first), await statusOf(second)], [401, 200]);
    assert.equal((await page.ask('DELETE', `keys/${key.id}/former-secret`)).status, 404);
    const { api_key: third, key: last } = (await roll(0)).body;
    assert.equal(last.former_secret_until, null);
    assert.deepEqual([await statusOf(second), await statusOf(third)], [401, 200]);

    for (const overlap of [-1, 604_801, 0.5, '60', undefined])
      assert.deepEqual(failure(await roll(overlap)), [400, false, 'bad_argument', 'overlap_s'], String(overlap));
    for (const id of ['k-0000000000', 'session', owner.robot])
      assert.equal((await page.ask('POST', `keys/${id}/secret`, { overlap_s: 0 })).status, 404, id);
    assert.equal((await bench.ask('POST', `/console/keys/${key.id}/secret`, { apiKey: third, body: { overlap_s: 0 } })).status, 401);
    assert.equal(await statusOf(third), 200);
    await page.ask('DELETE', `keys/${key.id}`);
  });

  it('omits sessions from the list of keys, and does not revoke a session as a key', async () => {
    const { keys } = (await page.ask('GET', 'keys')).body;
    assert.deepEqual(
      keys.map(({ id }: { id: string }) => id),
      [owner.keyId],
    );
    assert.equal((await page.ask('DELETE', 'keys/session')).status, 404);
    assert.equal((await page.ask('GET', 'robots')).status, 200);
  });

  it('refuses to add a key to an account with 100 keys', async () => {
    await Promise.all(Array.from({ length: 99 }, () => bench.store.apiKeys.create({ account: owner.account })));
    assert.deepEqual(failure(await page.ask('POST', 'keys', { name: 'one more', robots: '*' })), [409, false, 'conflict', undefined]);
  });

  it('serves the picture on the screen unchanged, cacheable under its id, until the card is removed', async () => {
    await bench.link.take(owner.robot, owner.token);
    assert.equal((await page.ask('GET', `robots/${owner.robot}/screen`)).status, 404);
    const shown = bench.link.state!;
    bench.link.answer = (message) => ({ t: 'ack', id: message.id, result: {} });
    assert.equal((await bench.act(owner, 'show', { image: pngBase64 })).status, 200);
    const card = String(bench.link.last().args['id']);
    bench.link.state = { ...shown, showing: { ...shown.showing, card } };
    try {
      const url = `${bench.base}/console/robots/${owner.robot}/screen`;
      const now = await fetch(url, { headers: page.headers });
      assert.deepEqual([now.status, now.headers.get('content-type'), now.headers.get('cache-control')], [200, 'image/jpeg', 'no-store']);
      assert.match(await now.text(), /^picture of /);
      const kept = await fetch(`${url}?id=${card}`, { headers: page.headers });
      assert.deepEqual([kept.status, kept.headers.get('cache-control')], [200, 'private, max-age=3600, immutable']);
      assert.equal(kept.headers.get('content-security-policy'), "default-src 'none'; sandbox");
      for (const id of ['', 'nothing', 'w99999', `${card}x`])
        assert.equal((await fetch(`${url}?id=${id}`, { headers: page.headers })).status, 404, id);
    } finally {
      bench.link.state = shown;
    }
    await until(async () => (await page.ask('GET', `robots/${owner.robot}/screen`)).status === 404);
  });

  it('serves the API of the session under /console/v1, including creating, testing and removing webhooks', async () => {
    await bench.link.take(owner.robot, owner.token);
    assert.equal((await page.ask('POST', `v1/robots/${owner.robot}/face`, { emotion: 'happy' })).status, 200);
    const made = (await page.ask('POST', 'v1/webhooks', { url: 'https://example.com/hook' })).body;
    assert.equal((await page.ask('GET', 'v1/webhooks')).body.webhooks[0].id, made.webhook.id);
    const tested = await page.ask('POST', `v1/webhooks/${made.webhook.id}/test`, {});
    assert.deepEqual([tested.status, tested.body.delivery.type], [200, 'test']);
    assert.equal((await otherAccount.ask('POST', `v1/webhooks/${made.webhook.id}/test`, {})).status, 404);
    assert.equal((await page.ask('DELETE', `v1/webhooks/${made.webhook.id}`)).status, 200);
  });
});
