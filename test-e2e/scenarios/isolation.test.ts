import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type { Answer } from '../fixture/clients/api.js';
import { withSlowestCall } from '../fixture/clients/slowest-call.js';
import { halves, Pixels } from '../fixture/media/pictures.js';
import type { CheckedApi } from '../fixture/interface/published.js';
import { checkedApi, connected, onSharedSystems } from '../fixture/system/shared-systems.js';

const actions = ['show', 'say', 'face', 'move', 'leds', 'sound', 'ask', 'menu', 'clickmap', 'command', 'state', 'events', 'speak'];
const paths = [
  '',
  ...actions.map((action) => `/${action}`),
  '/events?after=0&seconds=30',
  '/screen',
  '/preview/show',
  '/preview/say',
  '/nothing',
  '/show/deeper',
  '//',
  '/%zz',
];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const unknown = 'r-0000000000';
/** Time in which a revoked or expired key may still work, ms; what the machine takes to answer comes on top. */
const withinMs = 1000;

onSharedSystems('isolation', (system) => {
  it("another account's robot looks like one that does not exist, and cannot be reached, by any path or method on any gateway", async () => {
    const mine = await system().tenant();
    const other = await system().tenant();
    const { id: foreign, robot } = await other.robot();
    await robot.tap(1, 1, { instant: true });
    const before = robot.commands.length;
    for (const gateway of [0, 1]) {
      const api = await checkedApi(mine, gateway);
      for (const path of paths) {
        const answers = methods.map(async (method) => {
          const body = method === 'GET' || method === 'HEAD' ? undefined : '{"text":"x","command":"restart"}';
          const send = (id: string) =>
            api.send(method, `/v1/robots/${id}${path}`, body, { headers: { 'content-type': 'application/json', 'x-request-id': 'the-same' } });
          const [answer, reference] = await Promise.all([send(foreign), send(unknown)]);
          assert.equal(answer.status, 404, `${method} ${path}`);
          assert.deepEqual(comparable(answer), comparable(reference), `${method} ${path}`);
        });
        await Promise.all(answers);
      }
    }
    assert.equal(robot.commands.length, before);
    assert.deepEqual((await (await checkedApi(mine)).get('/v1/robots')).body.robots, []);
    const { headers } = await (await checkedApi(other)).get('/v1/robots');
    assert.match(headers.get('ratelimit')!, /r=29;/, "and nothing was taken from the other key's bucket");
  });

  it("a group has the key's own robots only, whatever labels the robots of other accounts have", async () => {
    const [mine, other] = [await system().tenant(), await system().tenant()];
    const own = await mine.robot();
    const foreign = await other.robot();
    const labelled = [
      [mine, own],
      [other, foreign],
    ] as const;
    for (const [tenant, { id }] of labelled) await system().store.robotLabels.change(tenant.account, id, { set: { room: 'shared' } });
    const before = foreign.robot.commands.length;
    for (const gateway of [0, 1]) {
      const api = await checkedApi(mine, gateway);
      for (const label of ['all', 'room%3Dshared']) {
        const { status, body } = await api.send('POST', `/v1/groups/${label}/face`, '{"emotion":"happy"}', {
          headers: { 'content-type': 'application/json' },
        });
        assert.deepEqual([status, body.robots.map(({ robot }: { robot: string }) => robot)], [200, [own.id]]);
      }
    }
    assert.equal(foreign.robot.commands.length, before);
  });

  it("another account's wait looks like one that does not exist, on any gateway, and cannot be taken away", async () => {
    const mine = await system().tenant();
    const other = await system().tenant();
    const { id, robot } = await other.robot();
    const { body } = await other.api().act(id, 'ask', { question: 'Q', answers: ['a', 'b'], detach: true });
    for (const gateway of [0, 1]) {
      const api = await checkedApi(mine, gateway);
      for (const method of ['GET', 'DELETE', 'POST', 'PUT']) {
        const send = (wait: string) => api.send(method, `/v1/waits/${wait}`, undefined, { headers: { 'x-request-id': 'the-same' } });
        const [answer, reference] = await Promise.all([send(body.wait), send('wt-0000000000-mb1x2k9q')]);
        assert.equal(answer!.status, method === 'GET' || method === 'DELETE' ? 404 : 405, method);
        assert.deepEqual(comparable(answer!), comparable(reference!), method);
      }
    }
    assert.notEqual(robot.screen.question, null);
    assert.equal((await (await checkedApi(other, 1)).get(`/v1/waits/${body.wait}`)).body.outcome, 'pending');
  });

  it("the same picture from two accounts is drawn for each, and each robot shows its own account's", async () => {
    const tenants = await Promise.all([system().tenant(), system().tenant()]);
    const image = halves(50, 40, '#ff0000', '#0000ff');
    for (const [i, tenant] of tenants.entries()) {
      const { id, robot } = await tenant.robot();
      const api = await checkedApi(tenant, i);
      assert.equal((await api.act(id, 'show', { image, background: i === 0 ? 'green' : 'pink' })).status, 200);
      const card = await Pixels.of(robot.screen.card);
      assert.ok(card.is(5, 5, i === 0 ? '#34c759' : '#ff5fa2') && card.is(80, 120, '#ff0000'));
    }
  });

  it("a key for some robots reaches those, and the account's other robots look like unknown ones", async () => {
    const tenant = await system().tenant();
    const chosen = await tenant.robot();
    const left = await tenant.robot();
    const { apiKey } = await system().store.apiKeys.create({ account: tenant.account, robots: [chosen.id] });
    const api = await checkedApi(tenant, 1, apiKey);
    assert.deepEqual(
      (await api.get('/v1/robots')).body.robots.map(({ id }: { id: string }) => id),
      [chosen.id],
    );
    assert.equal((await api.act(chosen.id, 'face', { emotion: 'sad' })).status, 200);
    const headers = { 'x-request-id': 'the-same' };
    const [answer, reference] = await Promise.all([left.id, unknown].map((id) => api.act(id, 'face', { emotion: 'sad' }, { headers })));
    assert.equal(answer!.status, 404);
    assert.deepEqual(comparable(answer!), comparable(reference!));
    assert.equal(left.robot.face.emotion, 'neutral');
    assert.equal((await (await checkedApi(tenant)).get('/v1/robots')).body.robots.length, 2);
  });

  it('a removed robot gets 404 from then on, and its token is rejected', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const api = await checkedApi(tenant);
    assert.equal((await api.act(id, 'face', { emotion: 'sad' })).status, 200);
    await robot.stop();
    await system().store.robots.remove(tenant.account, id);
    for (const gateway of [api, await checkedApi(tenant, 1)]) {
      await until(async () => (await gateway.get(`/v1/robots/${id}`)).status === 404);
      assert.deepEqual((await gateway.get('/v1/robots')).body.robots, []);
    }
  });

  it("a revoked key gets 401 on every gateway within a second, open calls included, and the account's other keys still work", async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const { apiKeys } = system().store;
    const { apiKey, id: keyId } = await apiKeys.create({ account: tenant.account });
    const gateways = await Promise.all([0, 1].map((i) => checkedApi(tenant, i, apiKey)));
    await connected(gateways[0]!, id);
    const after = (await gateways[0]!.get(`/v1/robots/${id}/events`)).body.last_seq;
    const held = [
      ...gateways.map((api) => api.get(`/v1/robots/${id}/events?after=${after}&seconds=20`)),
      gateways[1]!.act(id, 'ask', { question: 'Q', answers: ['a', 'b'] }),
    ].map((call) => call.then((answer) => ({ ...answer, endedAt: performance.now() })));
    await robot.until((r) => r.screen.question !== null);
    const staying = (await checkedApi(tenant)).get(`/v1/robots/${id}/events?after=${after}&seconds=20`);

    const other = await system().tenant();
    let revokedAt = Infinity;
    const { result, slowestMs } = await withSlowestCall(
      () => Promise.all([0, 1].map((i) => other.api(i).get('/v1/robots'))),
      async () => {
        await apiKeys.revoke(tenant.account, keyId);
        revokedAt = performance.now();
        for (const api of gateways) await refusedEverywhere(api, id);
        return Promise.all(held);
      },
    );
    for (const { status, body, endedAt } of result) {
      assert.deepEqual([status, body.code], [401, 'unauthorized']);
      assert.ok(endedAt - revokedAt < withinMs + 2 * slowestMs, `${endedAt - revokedAt} ms after it was revoked; other calls took ${slowestMs} ms`);
    }
    await robot.until((r) => r.screen.question === null, { what: 'its question to go' });
    await robot.pat({ instant: true });
    assert.equal((await staying).body.events.length, 1);
  });

  it('an expired key gets 401 from then on, open calls included', async () => {
    const tenant = await system().tenant();
    const { id } = await tenant.robot();
    await connected(await checkedApi(tenant, 1), id);
    const { apiKeys, clock } = system().store;
    /** @param lifeMs of the key; on a busy machine it expires before it is used, and the next one gets more. */
    const usedUntilEnd = async (lifeMs: number): Promise<{ api: CheckedApi; expiresAt: number; after: number }> => {
      const expiresAt = clock.now() + lifeMs;
      const { apiKey } = await apiKeys.create({ account: tenant.account, expiresAt });
      const api = await checkedApi(tenant, 1, apiKey);
      const { status, body } = await api.get(`/v1/robots/${id}/events`);
      if (status === 401 && clock.now() > expiresAt) return usedUntilEnd(2 * lifeMs);
      assert.equal(status, 200);
      return { api, expiresAt, after: body.last_seq };
    };
    const { api, expiresAt, after } = await usedUntilEnd(1200);
    const other = await system().tenant();
    const { result: poll, slowestMs } = await withSlowestCall(
      () => other.api(1).get('/v1/robots'),
      () => api.get(`/v1/robots/${id}/events?after=${after}&seconds=20`),
    );
    const endedAt = clock.now();
    assert.equal(poll.status, 401);
    assert.ok(
      endedAt >= expiresAt && endedAt < expiresAt + withinMs + 2 * slowestMs,
      `${endedAt - expiresAt} ms after it expired; other calls took ${slowestMs} ms`,
    );
    await refusedEverywhere(api, id);
  });

  it('a missing, malformed or unknown key and another scheme get 401 for every path, the API documents included', async () => {
    const tenant = await system().tenant();
    const { id } = await tenant.robot();
    const { published, base } = await checkedApi(tenant);
    const refused = [
      '',
      'Bearer',
      'Bearer ',
      `Basic ${tenant.key}`,
      tenant.key,
      `Bearer ${tenant.key}x`,
      `Bearer ${tenant.key.slice(0, -1)}`,
      `Bearer pk_${'A'.repeat(43)}`,
      `Bearer ${tenant.key} ${tenant.key}`,
    ];
    for (const path of ['/v1/robots', `/v1/robots/${id}`, '/v1/actions', '/v1/openapi.json', '/v1/nothing', '/v1', `/v1/robots/${id}/show`]) {
      for (const authorization of refused) {
        const response = await fetch(base + path, { headers: { authorization } });
        const answer = { status: response.status, headers: response.headers, body: (await response.json()) as any };
        published.check('GET', path, answer);
        assert.deepEqual([answer.status, answer.body.code], [401, 'unauthorized'], `${path} ${authorization}`);
      }
    }
    const inQuery = await fetch(`${base}/v1/robots?api_key=${tenant.key}`);
    assert.equal(inQuery.status, 401);
    const lower = await fetch(`${base}/v1/robots`, { headers: { authorization: `bearer ${tenant.key}` } });
    assert.equal(lower.status, 200, "the scheme's case does not matter");
    await Promise.all([inQuery.text(), lower.text()]);
  });
});

async function refusedEverywhere(api: CheckedApi, id: string): Promise<void> {
  for (const path of ['/v1/robots', `/v1/robots/${id}`, `/v1/robots/${id}/events`, '/v1/actions', '/v1/openapi.json']) {
    assert.equal((await api.get(path)).status, 401, path);
  }
  assert.equal((await api.act(id, 'face', { emotion: 'sad' })).status, 401);
}

function comparable({ status, headers, body }: Answer): object {
  const varying = ['date', 'ratelimit'];
  return { status, body, headers: [...headers].filter(([name]) => !varying.includes(name)) };
}
