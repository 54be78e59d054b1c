import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { until } from '@perch/testkit';
import { tokensSince, useGateway, useOwner } from './gateway-under-test.js';

describe('admission', () => {
  const system = useGateway();
  const owner = useOwner(system);
  const otherOwner = useOwner(system);

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

  it('answers 401 without a key on every /v1 path and method, including discovery and unknown paths', async () => {
    for (const path of everyPath) {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        const answer = await system.ask(method, path);
        assert.equal(answer.status, 401, `${method} ${path}`);
        assert.equal(answer.body.ok, false);
        assert.equal(answer.body.code, 'unauthorized');
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      }
    }
  });

  it('answers 401 for malformed keys and for an unknown key', async () => {
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
      const answer = await system.ask('GET', '/v1/robots', { headers: { authorization } });
      assert.equal(answer.status, 401, authorization);
    }
    assert.equal((await system.ask('GET', '/v1/robots', { headers: { authorization: `bearer ${owner.apiKey}` } })).status, 200);
  });

  it('answers 401 for an expired and for a revoked key', async () => {
    const { apiKey, id } = await system.store.apiKeys.create({ account: owner.account, expiresAt: Math.round(system.store.clock.now()) + 60_000 });
    assert.equal((await system.ask('GET', '/v1/actions', { apiKey })).status, 200);
    await system.store.apiKeys.revoke(owner.account, id);
    assert.equal((await system.ask('GET', '/v1/actions', { apiKey })).status, 401);
    const expired = await system.store.apiKeys.create({ account: owner.account, expiresAt: Math.round(system.store.clock.now()) - 1000 });
    assert.equal((await system.ask('GET', '/v1/actions', { apiKey: expired.apiKey })).status, 401);
  });

  it('answers the same 404 unknown_robot for a robot of another account and for an unknown one, on every path and method', async () => {
    for (const robot of [otherOwner.robot, 'r-0000000000', 'nobody', 'r-', '%E0%A4%A', '..%2F..', 'a'.repeat(300)]) {
      for (const [method, path] of [
        ['GET', ''],
        ['DELETE', ''],
        ['POST', '/show'],
        ['POST', '/nonsense'],
        ['GET', '/events?seconds=60'],
        ['PUT', '/show/deeper'],
      ] as const) {
        const answer = await system.ask(method, `/v1/robots/${robot}${path}`, { apiKey: owner.apiKey });
        assert.equal(answer.status, 404, `${method} ${robot}${path}`);
        assert.equal(answer.body.code, 'unknown_robot', `${method} ${robot}${path}`);
      }
    }
  });

  it('answers 404 with the id where the path has the name of a robot that the key reaches, in any case of its letters', async () => {
    await system.store.robots.rename(owner.account, owner.robot, 'Küche 2');
    await system.store.robots.rename(otherOwner.account, otherOwner.robot, 'Desk 7');
    const { robot } = await system.store.robots.create({ account: owner.account });
    await system.store.robots.rename(owner.account, robot, 'Shelf');
    const refusalOf = async (name: string, robots: '*' | string[]) => {
      const { apiKey } = await system.store.apiKeys.create({ account: owner.account, robots });
      const { status, body } = await system.ask('POST', `/v1/robots/${encodeURIComponent(name)}/face`, { apiKey, body: { emotion: 'happy' } });
      assert.deepEqual([status, body.code], [404, 'unknown_robot'], name);
      return body.error as string;
    };
    assert.match(await refusalOf('küche 2', '*'), new RegExp(`It is the name of ${owner.robot}: send the id\\.$`));
    assert.doesNotMatch(await refusalOf('Desk 7', '*'), /is the name/);
    assert.doesNotMatch(await refusalOf('Küche 2', [robot]), /is the name/);
    await system.store.robots.rename(owner.account, robot, 'Küche 2');
    assert.match(await refusalOf('Küche 2', '*'), new RegExp(`${[owner.robot, robot].toSorted().join(' and ')}: send`));
  });

  it('answers 404 for, and does not list, robots of the account that the key does not reach', async () => {
    const { robot } = await system.store.robots.create({ account: owner.account });
    const { apiKey } = await system.store.apiKeys.create({ account: owner.account, robots: [robot] });
    assert.equal((await system.ask('GET', `/v1/robots/${owner.robot}`, { apiKey })).status, 404);
    assert.equal((await system.ask('GET', `/v1/robots/${robot}`, { apiKey })).status, 200);
    const { body } = await system.ask('GET', '/v1/robots', { apiKey });
    assert.deepEqual(
      body.robots.map((each: { id: string }) => each.id),
      [robot],
    );
  });

  it('answers 404 for a removed robot at once, although it was just used', async () => {
    const gone = await system.ownerOnline();
    assert.equal((await system.act(gone, 'face', { emotion: 'happy' })).status, 200);
    await system.link.release(gone.robot, 'away');
    await system.store.robots.remove(gone.account, gone.robot);
    const answer = await system.act(gone, 'face', { emotion: 'happy' });
    assert.equal(answer.status, 404);
    assert.equal(answer.body.code, 'unknown_robot');
  });

  it('answers 404 not_found for an unknown path of a robot, and 405 with Allow for a wrong method', async () => {
    const nothing = await system.ask('POST', `/v1/robots/${owner.robot}/dance`, { apiKey: owner.apiKey, body: {} });
    assert.equal(nothing.status, 404);
    assert.equal(nothing.body.code, 'not_found');
    for (const [method, path, allow] of [
      ['GET', `/v1/robots/${owner.robot}/show`, 'POST'],
      ['DELETE', `/v1/robots/${owner.robot}`, 'GET, HEAD'],
      ['PUT', `/v1/robots/${owner.robot}/events`, 'POST, GET, HEAD'],
      ['POST', '/v1/actions', 'GET, HEAD'],
      ['OPTIONS', '/v1/robots', 'GET, HEAD'],
    ] as const) {
      const answer = await system.ask(method, path, { apiKey: owner.apiKey });
      assert.equal(answer.status, 405, `${method} ${path}`);
      assert.equal(answer.body.code, 'method_not_allowed');
      assert.equal(answer.headers.get('allow'), allow);
    }
  });

  it('admits bursts of 30, then answers 429 with Retry-After; rejected calls and discovery cost nothing', async () => {
    const greedy = await system.ownerOnline();
    const remaining = async (method: string, path: string, body?: unknown): Promise<number> => {
      const answer = await system.ask(method, path, { apiKey: greedy.apiKey, body });
      return Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
    };
    assert.equal(await remaining('POST', `/v1/robots/${greedy.robot}/face`, { emotion: 'happy' }), 29);
    for (const [method, path] of [
      ['GET', `/v1/robots/${otherOwner.robot}`],
      ['POST', `/v1/robots/${greedy.robot}/nonsense`],
      ['GET', '/v1/actions'],
      ['GET', '/v1/openapi.json'],
    ] as const) {
      assert.ok((await remaining(method, path)) >= 29, `${method} ${path}`);
    }

    const started = performance.now();
    const answers = await Promise.all(Array.from({ length: 60 }, () => system.act(greedy, 'state')));
    const refused = answers.filter((answer) => answer.status === 429);
    assert.ok(refused.length >= 30 - tokensSince(started), `${refused.length} refused`);
    assert.equal(answers.filter((answer) => answer.status === 200).length, 60 - refused.length);
    for (const { body, headers } of refused) {
      assert.equal(body.code, 'rate_limited');
      assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.equal(headers.get('ratelimit-policy'), '"actions";q=30;w=3');
      assert.match(headers.get('ratelimit') ?? '', /^"actions";r=0;t=\d+$/);
    }
    // 404 comes before 429, and 429 before errors of the body. The bucket refills meanwhile, so some calls are admitted.
    const wrong = Array.from({ length: 60 }, () =>
      system.ask('POST', `/v1/robots/${greedy.robot}/face`, { apiKey: greedy.apiKey, body: 'nonsense' }),
    );
    const foreign = Array.from({ length: 10 }, () => system.ask('GET', `/v1/robots/${otherOwner.robot}`, { apiKey: greedy.apiKey }));
    const statuses = (await Promise.all(wrong)).map(({ status }) => status);
    assert.ok(statuses.includes(429), statuses.join(' '));
    assert.ok(
      statuses.every((status) => status === 429 || status === 400),
      statuses.join(' '),
    );
    for (const { status } of await Promise.all(foreign)) assert.equal(status, 404);
    assert.equal((await system.ask('GET', '/v1/actions', { apiKey: greedy.apiKey })).status, 200);
  });

  it('charges one for every call under /v1/robots, whatever its result', async () => {
    const payer = await system.ownerOnline();
    const path = `/v1/robots/${payer.robot}`;
    const calls = [
      () => system.act(payer, 'state'),
      () => system.ask('POST', `${path}/events`, { apiKey: payer.apiKey, body: {} }),
      () => system.ask('GET', path, { apiKey: payer.apiKey }),
      () => system.ask('GET', '/v1/robots', { apiKey: payer.apiKey }),
      () => system.ask('POST', `${path}/face`, { apiKey: payer.apiKey, body: '{' }),
      () => system.ask('POST', `${path}/face`, { apiKey: payer.apiKey, body: '{}', headers: { 'content-type': 'text/plain' } }),
      () => system.ask('DELETE', `${path}/face`, { apiKey: payer.apiKey }),
    ];
    const started = performance.now();
    const answers = await Promise.all(calls.map((call) => call()));
    const least = Math.min(...answers.map(({ headers }) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])));
    assert.ok(least >= 30 - calls.length && least <= 30 - calls.length + tokensSince(started), `${least} left`);
  });

  it('performs no action for a key that was revoked while the body arrived', async () => {
    const slow = await system.ownerOnline();
    const socket = connect(Number(new URL(system.base).port), '127.0.0.1');
    const body = JSON.stringify({ emotion: 'angry' });
    socket.write(
      `POST /v1/robots/${slow.robot}/face HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${slow.apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    await until(async () => (await system.store.apiKeys.list(slow.account))[0]?.lastUsed !== null, { what: 'the key to be admitted' });
    const commands = system.link.commands.length;
    await system.store.apiKeys.revoke(slow.account, slow.keyId);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    socket.write(body.slice(5));
    const answer = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.destroy();
    assert.match(answer, /^HTTP\/1\.1 401 /);
    assert.equal(system.link.commands.length, commands);
  });

  it('does not read a body before its key is admitted: a client with an unknown key that sent Expect: 100-continue is rejected without sending it', async () => {
    const { port } = new URL(system.base);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `POST /v1/robots/${owner.robot}/show HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\nexpect: 100-continue\r\n\r\n`,
    );
    const first = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.destroy();
    assert.match(first, /^HTTP\/1\.1 401 /);
  });
});
