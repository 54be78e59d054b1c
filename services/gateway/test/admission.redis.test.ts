import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { until } from '@perch/testkit';
import { Bench, type Owner } from './bench.js';

describe('who may come in', () => {
  let bench: Bench;
  let owner: Owner;
  let stranger: Owner;

  before(async () => {
    bench = await Bench.start();
    owner = await bench.ownerOnline();
    stranger = await bench.ownerOnline();
  });
  after(() => bench.stop());

  const everyPath = [
    '/v1',
    '/v1/',
    '/v1/robots',
    '/v1/actions',
    '/v1/openapi.json',
    '/v1/nonsense',
    '/v1/robots/r-0000000000/show',
    '/v1/robots/%E0%A4%A/show',
  ];

  it('401 without a key, on every /v1 path and method, discovery and unknown ones too', async () => {
    for (const path of everyPath) {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        const answer = await bench.ask(method, path);
        assert.equal(answer.status, 401, `${method} ${path}`);
        assert.equal(answer.body.ok, false);
        assert.equal(answer.body.code, 'unauthorized');
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      }
    }
  });

  it('401 for keys of every wrong shape, and for one nobody has', async () => {
    for (const authorization of [
      '',
      'Bearer',
      'Bearer x',
      `Basic ${owner.apiKey}`,
      `Bearer ${owner.apiKey}x`,
      `Bearer ${owner.apiKey} x`,
      owner.apiKey,
      `Bearer pk_${'a'.repeat(43)}`,
      `Bearer ${owner.token}`,
    ]) {
      const answer = await bench.ask('GET', '/v1/robots', { headers: { authorization } });
      assert.equal(answer.status, 401, authorization);
    }
    assert.equal((await bench.ask('GET', '/v1/robots', { headers: { authorization: `bearer ${owner.apiKey}` } })).status, 200);
  });

  it('401 for an expired and for a revoked key', async () => {
    const { apiKey, id } = await bench.store.apiKeys.create({ account: owner.account, expiresAt: Math.round(bench.store.clock.now()) + 60_000 });
    assert.equal((await bench.ask('GET', '/v1/actions', { apiKey })).status, 200);
    await bench.store.apiKeys.revoke(owner.account, id);
    assert.equal((await bench.ask('GET', '/v1/actions', { apiKey })).status, 401);
    const expired = await bench.store.apiKeys.create({ account: owner.account, expiresAt: Math.round(bench.store.clock.now()) - 1000 });
    assert.equal((await bench.ask('GET', '/v1/actions', { apiKey: expired.apiKey })).status, 401);
  });

  it("404 unknown_robot for another account's robot and for one that is none, for every path and method alike", async () => {
    for (const robot of [stranger.robot, 'r-0000000000', 'nobody', 'r-', '%E0%A4%A', '..%2F..', 'a'.repeat(300)]) {
      for (const [method, path] of [
        ['GET', ''],
        ['DELETE', ''],
        ['POST', '/show'],
        ['POST', '/nonsense'],
        ['GET', '/events?seconds=60'],
        ['PUT', '/show/deeper'],
      ] as const) {
        const answer = await bench.ask(method, `/v1/robots/${robot}${path}`, { apiKey: owner.apiKey });
        assert.equal(answer.status, 404, `${method} ${robot}${path}`);
        assert.equal(answer.body.code, 'unknown_robot', `${method} ${robot}${path}`);
      }
    }
  });

  it('a key of chosen robots gets 404 for the others of its account and does not list them', async () => {
    const { robot } = await bench.store.robots.create({ account: owner.account });
    const { apiKey } = await bench.store.apiKeys.create({ account: owner.account, robots: [robot] });
    assert.equal((await bench.ask('GET', `/v1/robots/${owner.robot}`, { apiKey })).status, 404);
    assert.equal((await bench.ask('GET', `/v1/robots/${robot}`, { apiKey })).status, 200);
    const { body } = await bench.ask('GET', '/v1/robots', { apiKey });
    assert.deepEqual(
      body.robots.map((each: { id: string }) => each.id),
      [robot],
    );
  });

  it('a removed robot is 404 at once, although it was just used', async () => {
    const gone = await bench.ownerOnline();
    assert.equal((await bench.act(gone, 'face', { emotion: 'happy' })).status, 200);
    await bench.link.release(gone.robot, 'away');
    await bench.store.robots.remove(gone.account, gone.robot);
    const answer = await bench.act(gone, 'face', { emotion: 'happy' });
    assert.equal(answer.status, 404);
    assert.equal(answer.body.code, 'unknown_robot');
  });

  it('404 not_found under a robot of the key, 405 with Allow for a wrong method', async () => {
    const nothing = await bench.ask('POST', `/v1/robots/${owner.robot}/dance`, { apiKey: owner.apiKey, body: {} });
    assert.equal(nothing.status, 404);
    assert.equal(nothing.body.code, 'not_found');
    for (const [method, path, allow] of [
      ['GET', `/v1/robots/${owner.robot}/show`, 'POST'],
      ['DELETE', `/v1/robots/${owner.robot}`, 'GET, HEAD'],
      ['PUT', `/v1/robots/${owner.robot}/events`, 'POST, GET, HEAD'],
      ['POST', '/v1/actions', 'GET, HEAD'],
      ['OPTIONS', '/v1/robots', 'GET, HEAD'],
    ] as const) {
      const answer = await bench.ask(method, path, { apiKey: owner.apiKey });
      assert.equal(answer.status, 405, `${method} ${path}`);
      assert.equal(answer.body.code, 'method_not_allowed');
      assert.equal(answer.headers.get('allow'), allow);
    }
  });

  it('the bucket: bursts of 30, then 429 with Retry-After; refused calls and discovery cost nothing', async () => {
    const greedy = await bench.ownerOnline();
    const remaining = async (method: string, path: string, body?: unknown): Promise<number> => {
      const answer = await bench.ask(method, path, { apiKey: greedy.apiKey, body });
      return Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
    };
    assert.equal(await remaining('POST', `/v1/robots/${greedy.robot}/face`, { emotion: 'happy' }), 29);
    for (const [method, path] of [
      ['GET', `/v1/robots/${stranger.robot}`],
      ['POST', `/v1/robots/${greedy.robot}/nonsense`],
      ['GET', '/v1/actions'],
      ['GET', '/v1/openapi.json'],
    ] as const) {
      assert.ok((await remaining(method, path)) >= 29, `${method} ${path}`);
    }

    const answers = await Promise.all(Array.from({ length: 60 }, () => bench.act(greedy, 'state')));
    const refused = answers.filter((answer) => answer.status === 429);
    assert.ok(refused.length >= 15, `${refused.length} refused`);
    assert.equal(answers.filter((answer) => answer.status === 200).length, 60 - refused.length);
    for (const { body, headers } of refused) {
      assert.equal(body.code, 'rate_limited');
      assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.equal(headers.get('ratelimit-policy'), '"actions";q=30;w=3');
      assert.match(headers.get('ratelimit') ?? '', /^"actions";r=0;t=\d+$/);
    }
    // 404 comes before 429, and 429 before what is wrong with the body. Tokens come back meanwhile: some are let in.
    const wrong = Array.from({ length: 60 }, () => bench.ask('POST', `/v1/robots/${greedy.robot}/face`, { apiKey: greedy.apiKey, body: 'nonsense' }));
    const nobodys = Array.from({ length: 10 }, () => bench.ask('GET', `/v1/robots/${stranger.robot}`, { apiKey: greedy.apiKey }));
    const statuses = (await Promise.all(wrong)).map(({ status }) => status);
    assert.ok(statuses.includes(429), statuses.join(' '));
    assert.ok(
      statuses.every((status) => status === 429 || status === 400),
      statuses.join(' '),
    );
    for (const { status } of await Promise.all(nobodys)) assert.equal(status, 404);
    assert.equal((await bench.ask('GET', '/v1/actions', { apiKey: greedy.apiKey })).status, 200);
  });

  it('every call under /v1/robots costs one, whatever becomes of it', async () => {
    const payer = await bench.ownerOnline();
    const path = `/v1/robots/${payer.robot}`;
    const calls = [
      () => bench.act(payer, 'state'),
      () => bench.ask('POST', `${path}/events`, { apiKey: payer.apiKey, body: {} }),
      () => bench.ask('GET', path, { apiKey: payer.apiKey }),
      () => bench.ask('GET', '/v1/robots', { apiKey: payer.apiKey }),
      () => bench.ask('POST', `${path}/face`, { apiKey: payer.apiKey, body: '{' }),
      () => bench.ask('POST', `${path}/face`, { apiKey: payer.apiKey, body: '{}', headers: { 'content-type': 'text/plain' } }),
      () => bench.ask('DELETE', `${path}/face`, { apiKey: payer.apiKey }),
    ];
    const answers = await Promise.all(calls.map((call) => call()));
    const least = Math.min(...answers.map(({ headers }) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])));
    assert.ok(least >= 30 - calls.length && least <= 30 - calls.length + 1, `${least} left`);
  });

  it('a key that was revoked while its body was on the way does nothing', async () => {
    const slow = await bench.ownerOnline();
    const socket = connect(Number(new URL(bench.base).port), '127.0.0.1');
    const body = JSON.stringify({ emotion: 'angry' });
    socket.write(
      `POST /v1/robots/${slow.robot}/face HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${slow.apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    await until(async () => (await bench.store.apiKeys.list(slow.account))[0]?.lastUsed !== null, { what: 'the key to be admitted' });
    const commands = bench.link.commands.length;
    await bench.store.apiKeys.revoke(slow.account, slow.keyId);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    socket.write(body.slice(5));
    const answer = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.destroy();
    assert.match(answer, /^HTTP\/1\.1 401 /);
    assert.equal(bench.link.commands.length, commands);
  });

  it('a body is not read before its key is admitted: a stranger who asks first is refused without sending it', async () => {
    const { port } = new URL(bench.base);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `POST /v1/robots/${owner.robot}/show HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\nexpect: 100-continue\r\n\r\n`,
    );
    const first = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.destroy();
    assert.match(first, /^HTTP\/1\.1 401 /);
  });
});
