import assert from 'node:assert/strict';
import { needsRedisServer, redisProcess, until } from '@perch/testkit';
import type { Answer } from '../fixture/clients/api.js';
import { PageSession } from '../fixture/clients/page-session.js';
import { useSystem, type Tenant } from '../fixture/system/system-under-test.js';

const question = { question: 'Tea or coffee?', answers: ['Tea', 'Coffee'], timeout_s: 30 };

describe('services on a Redis that has reached its memory limit (2 gateways, 1 robot-link, 1 renderer)', () => {
  let tenant: Tenant;
  let page: PageSession;
  const crashes: string[] = [];

  before(function () {
    needsRedisServer(this);
  });
  afterEach(() => limit(0));
  const system = useSystem({ gateways: 2, links: 1, renderers: 1 }, async () => ({
    redis: await redisProcess(),
    onCrash: ({ service }) => crashes.push(service),
  }));
  beforeEach(async () => {
    tenant = await system.tenant();
    page = await PageSession.begin(system, tenant.account);
  });
  afterEach('no instance ended', () => {
    assert.deepEqual(crashes, []);
  });

  const ask = (command: string, ...args: string[]): Promise<unknown> => system.store.connections.commands.call(command, ...args);
  const limit = (bytes: number): Promise<unknown> => ask('CONFIG', 'SET', 'maxmemory', String(bytes));

  async function fill(): Promise<void> {
    const used = Number(/used_memory:(\d+)/.exec(String(await ask('INFO', 'memory')))![1]);
    await limit(used + 4 * 1024 * 1024);
    const block = 'x'.repeat(64 * 1024);
    for (let i = 0; ; i++) {
      const refused = await ask('SET', `filler:${i}`, block).then(
        () => false,
        (error: Error) => error.message.startsWith('OOM'),
      );
      if (refused) break;
    }
    await until(
      () =>
        ask('RPUSH', 'filler:small', block.slice(0, 1024)).then(
          () => false,
          () => true,
        ),
      { everyMs: 1 },
    );
  }

  function isRefusedForRoom({ status, body }: Answer): void {
    assert.deepEqual([status, body.code], [503, 'storage_full'], JSON.stringify(body));
    assert.match(body.error, /storage is full: nothing new can be stored/);
  }

  it('on a full Redis state and events can be read, and stop ends an open question', async () => {
    const { id, robot } = await tenant.robot();
    await robot.pat();
    await until(async () => (await tenant.api().get(`/v1/robots/${id}/events`)).body.events.some(({ name }: { name: string }) => name === 'pat'));
    const asked = tenant.api().act(id, 'ask', question);
    await robot.until(({ screen }) => screen.question !== null);
    await fill();
    for (const gateway of [0, 1]) {
      const state = await tenant.api(gateway).get(`/v1/robots/${id}`);
      assert.deepEqual([state.status, state.body.online], [200, true], JSON.stringify(state.body));
      const events = await tenant.api(gateway).get(`/v1/robots/${id}/events`);
      assert.equal(events.status, 200, JSON.stringify(events.body));
      assert.ok(events.body.events.some(({ name }: { name: string }) => name === 'pat'));
    }
    const stopped = await tenant.api(1).act(id, 'stop');
    assert.equal(stopped.status, 200, JSON.stringify(stopped.body));
    assert.equal((await asked).body.outcome, 'replaced');
    await robot.until(({ screen }) => screen.question === null);
  });

  it('on a full Redis a revoked key gets 401 on every gateway within a second, whether the operator or the page revoked it', async () => {
    const { id } = await tenant.robot();
    const other = await system.store.apiKeys.create({ account: tenant.account });
    const apis = [0, 1].flatMap((gateway) => [tenant.api(gateway), Object.assign(tenant.api(gateway), { key: other.apiKey })]);
    for (const api of apis) assert.equal((await api.get(`/v1/robots/${id}`)).status, 200);
    await fill();
    assert.equal(await system.store.apiKeys.revoke(tenant.account, tenant.keyId), true);
    const revoked = await page.ask('DELETE', `keys/${other.id}`);
    assert.equal(revoked.status, 200, JSON.stringify(revoked.body));
    const isRefused = async (): Promise<boolean> => {
      const answers = await Promise.all(apis.map((api) => api.get(`/v1/robots/${id}`)));
      return answers.every(({ status }) => status === 401);
    };
    await until(isRefused, { what: 'the revoked keys to be refused' });
  });

  it('on a full Redis the page can remove a robot and sign out', async () => {
    const { id, robot } = await tenant.robot();
    await fill();
    const removed = await page.ask('DELETE', `robots/${id}`);
    assert.equal(removed.status, 200, JSON.stringify(removed.body));
    await robot.until(({ online }) => !online);
    assert.equal((await tenant.api().get(`/v1/robots/${id}`)).status, 404);
    const out = await page.ask('DELETE', 'session');
    assert.deepEqual([out.status, out.body.signed_in], [200, false]);
    assert.equal((await page.ask('GET', 'robots', undefined, 1)).status, 401);
  });

  it('on a full Redis new keys, robots, webhooks and questions get 503 storage_full, and succeed once there is space', async () => {
    const { id, robot } = await tenant.robot();
    const wanted: (() => Promise<Answer>)[] = [
      () => page.ask('POST', 'keys', { name: 'scripts', robots: '*' }),
      () => page.ask('POST', 'robots', { virtual: true, name: 'Desk' }),
      () =>
        tenant
          .api()
          .send('POST', '/v1/webhooks', JSON.stringify({ url: 'https://example.com/' }), { headers: { 'content-type': 'application/json' } }),
    ];
    await fill();
    // Far below the used memory, so that memory which a worker or an expired key frees meanwhile makes no difference.
    await limit(1024 * 1024);
    for (const one of wanted) isRefusedForRoom(await one());
    isRefusedForRoom(await tenant.api().act(id, 'ask', question));
    assert.equal(robot.screen.question, null);
    await limit(0);
    for (const one of wanted) assert.ok([200, 201].includes((await one()).status));
  });
});
