import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { connect } from 'node:net';
import { until } from '@perch/testkit';
import { pngBase64, useGateway, useOwner } from '../gateway-under-test.js';
import { failure, SessionClient } from './session-client.js';

describe('resources of an account in the console', () => {
  const system = useGateway();
  const owner = useOwner(system, null);
  let page: SessionClient;
  let otherAccount: SessionClient;

  beforeEach(async () => {
    page = await SessionClient.signIn(system, owner.account);
    otherAccount = await SessionClient.signIn(system, (await system.owner()).account);
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
      const { email } = (await system.store.accounts.get(owner.account))!;
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
      assert.equal((await system.ask('GET', '/v1/robots', { apiKey: owner.apiKey })).status, 200);
    });

  it('answers 413 with a fitting message for a large body', async () => {
    const { status, body } = await page.ask('PATCH', `robots/${owner.robot}`, { name: 'x'.repeat(20_000) });
    assert.deepEqual([status, body.error], [413, 'The body is larger than 16384 bytes. Send less at once.']);
  });

  it('refuses a chunked body over 16 KB with 413 although it has arrived completely before the session is admitted', async () => {
    const { host, port } = new URL(system.base);
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
    assert.equal((await system.ask('GET', '/v1/robots', { apiKey: owner.apiKey })).body.robots.length, 1);
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
      const { status, body } = await system.ask('GET', `/console/${path}`, { apiKey: owner.apiKey });
      assert.deepEqual([status, body.code], [401, 'signed_out'], path);
    }
  });

  it('serves the picture on the screen unchanged, cacheable under its id, until the card is removed', async () => {
    await system.link.take(owner.robot, owner.token);
    assert.equal((await page.ask('GET', `robots/${owner.robot}/screen`)).status, 404);
    const shown = system.link.state!;
    system.link.answer = (message) => ({ t: 'ack', id: message.id, result: {} });
    assert.equal((await system.act(owner, 'show', { image: pngBase64 })).status, 200);
    const card = String(system.link.last().args['id']);
    system.link.state = { ...shown, showing: { ...shown.showing, card } };
    try {
      const url = `${system.base}/console/robots/${owner.robot}/screen`;
      const now = await fetch(url, { headers: page.headers });
      assert.deepEqual([now.status, now.headers.get('content-type'), now.headers.get('cache-control')], [200, 'image/jpeg', 'no-store']);
      assert.match(await now.text(), /^picture of /);
      const kept = await fetch(`${url}?id=${card}`, { headers: page.headers });
      assert.deepEqual([kept.status, kept.headers.get('cache-control')], [200, 'private, max-age=3600, immutable']);
      assert.equal(kept.headers.get('content-security-policy'), "default-src 'none'; sandbox");
      for (const id of ['', 'nothing', 'w99999', `${card}x`])
        assert.equal((await fetch(`${url}?id=${id}`, { headers: page.headers })).status, 404, id);
    } finally {
      system.link.state = shown;
    }
    await until(async () => (await page.ask('GET', `robots/${owner.robot}/screen`)).status === 404);
  });

  it('serves the API of the session under /console/v1, including creating, testing and removing webhooks', async () => {
    await system.link.take(owner.robot, owner.token);
    assert.equal((await page.ask('POST', `v1/robots/${owner.robot}/face`, { emotion: 'happy' })).status, 200);
    const made = (await page.ask('POST', 'v1/webhooks', { url: 'https://example.com/hook' })).body;
    assert.equal((await page.ask('GET', 'v1/webhooks')).body.webhooks[0].id, made.webhook.id);
    const tested = await page.ask('POST', `v1/webhooks/${made.webhook.id}/test`, {});
    assert.deepEqual([tested.status, tested.body.delivery.type], [200, 'test']);
    assert.equal((await otherAccount.ask('POST', `v1/webhooks/${made.webhook.id}/test`, {})).status, 404);
    assert.equal((await page.ask('DELETE', `v1/webhooks/${made.webhook.id}`)).status, 200);
  });
});
