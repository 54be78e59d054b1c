import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { EventStreamClient, privateRedis, until } from '@perch/testkit';
import { publishedAt, CheckedApi } from '../fixture/interface/published.js';
import { WebhookReceiver, type Received } from '../fixture/clients/webhook-receiver.js';
import { waitArmed } from '../fixture/robots/question.js';
import { useSystem, type Tenant } from '../fixture/system/system-under-test.js';

const json = { 'content-type': 'application/json' };
// Within the rate limit of a key.
const asking = { timeoutMs: 40_000, everyMs: 150 };
const types = (messages: readonly Received[]): string[] => messages.map(({ body }) => body.type);

describe('webhooks (2 gateways, 2 robot-links, 2 webhooks)', () => {
  const env = { PERCH_WEBHOOK_ALLOW_PRIVATE: 'true', PERCH_WEBHOOK_RETRY_S: '0.1,0.1,0.1' };
  // On the run's shared Redis, these instances would send the webhooks of other tests to the internet.
  const system = useSystem({ gateways: 2, links: 2, renderers: 0, env }, async () => ({ redis: await privateRedis(), webhooks: 2 }));
  let receiver: WebhookReceiver;
  before(async () => {
    receiver = await WebhookReceiver.open();
  });
  after(() => receiver?.close());

  const apiOf = async (tenant: Tenant, i = 0, key = tenant.key): Promise<CheckedApi> =>
    new CheckedApi(system.gateway(i), key, await publishedAt(system.gateway(i), tenant.key));

  async function made(api: CheckedApi, args: object = {}): Promise<{ id: string; path: string }> {
    const path = `/${randomUUID()}`;
    const { status, body } = await api.send('POST', '/v1/webhooks', JSON.stringify({ url: receiver.url(path), ...args }), { headers: json });
    assert.equal(status, 200, JSON.stringify(body));
    assert.match(body.secret, /^whsec_/);
    receiver.secrets.set(path, body.secret);
    return { id: body.webhook.id, path };
  }
  const post = (api: CheckedApi, path: string) => api.send('POST', path, undefined);
  async function delivered(api: CheckedApi, id: string, delivery: string, status: string): Promise<any> {
    const path = `/v1/webhooks/${id}/deliveries/${delivery}`;
    return until(async () => {
      const { body } = await api.get(path);
      return body.delivery?.status === status ? body.delivery : null;
    }, asking);
  }

  it('each matching webhook receives an event once, signed, and has it in its log', async () => {
    const tenant = await system.tenant();
    const api = await apiOf(tenant);
    const [all, pats] = [await made(api), await made(await apiOf(tenant, 1), { names: ['pat'] })];
    const { id, robot } = await tenant.robot();
    const other = await tenant.robot({}, 1);
    const one = await made(api, { robots: [other.id], names: ['pat'] });
    await robot.pat();
    await robot.tap(10, 10);
    await robot.pat();
    await until(() => receiver.at(all.path).filter(({ body }) => body.data.robot === id).length === 4);
    const ofRobot = receiver.at(all.path).filter(({ body }) => body.data.robot === id);
    assert.deepEqual(types(ofRobot).toSorted(), ['connected', 'pat', 'pat', 'tap']);
    assert.deepEqual(types(await receiver.count(pats.path, 2)), ['pat', 'pat']);
    assert.deepEqual(receiver.at(one.path), []);
    await other.robot.pat();
    const [only] = await receiver.count(one.path, 1);
    assert.deepEqual([only!.body.data.robot, only!.body.data.name], [other.id, 'pat']);
    assert.equal(only!.id, `msg_${other.id}_${only!.body.data.seq}`);

    const tap = ofRobot.find(({ body }) => body.type === 'tap')!;
    const { events } = (await api.get(`/v1/robots/${id}/events`)).body;
    assert.deepEqual(tap.body, { type: 'tap', timestamp: events[2].at, data: { robot: id, robot_name: id, ...events[2] } });
    const log = await delivered(api, all.id, tap.id, 'delivered');
    assert.deepEqual([log.attempts, log.last_status, log.last_error, log.next_at, log.payload], [1, 204, null, null, tap.body]);
    assert.equal(new Set(receiver.at(all.path).map((each) => each.id)).size, receiver.at(all.path).length, 'nothing came twice');
    assert.equal(receiver.forged, 0);
  });

  it('the tap that answers a question whose call has ended arrives as answered, once by webhook and once on the event stream', async () => {
    const tenant = await system.tenant();
    const api = await apiOf(tenant);
    const { id, robot } = await tenant.robot();
    const { path } = await made(api, { names: ['answered'] });
    const stream = await EventStreamClient.open(`${system.gateway(1)}/v1/robots/${id}/events?names=answered`, { apiKey: tenant.key });
    try {
      const regions = [{ id: 'bell', rect: [0, 0, 320, 240] }];
      const { status, body } = await api.act(id, 'clickmap', { regions, detach: true, timeout_s: 600 });
      assert.deepEqual([status, body.outcome], [200, 'pending'], JSON.stringify(body));
      await waitArmed(system, id, robot);
      await robot.tap(100, 60);
      const [message] = await receiver.count(path, 1);
      await until(() => stream.messages.length > 0, { what: 'the event on the stream' });
      for (const event of [message!.body.data, stream.messages[0]!.data]) {
        assert.equal(event.name, 'answered');
        assert.deepEqual([event.data.wait, event.data.outcome, event.data.region], [body.wait, 'answered', 'bell']);
      }
      await robot.pat();
      await until(async () => (await api.get(`/v1/robots/${id}/events?names=pat`)).body.events.length === 1, asking);
      assert.deepEqual([receiver.at(path).length, stream.messages.length], [1, 1]);
    } finally {
      stream.close();
    }
  });

  it('a message that is not delivered is resent under its id and given up at the end, and a replay sends it once more', async () => {
    const tenant = await system.tenant();
    const api = await apiOf(tenant);
    const { id, path } = await made(api, { names: ['pat'] });
    const { robot } = await tenant.robot();
    receiver.answers.set(path, [{ status: 500 }, { status: 503 }]);
    await robot.pat();
    const messages = await receiver.count(path, 3);
    assert.equal(new Set(messages.map((each) => each.id)).size, 1);
    assert.equal((await delivered(api, id, messages[0]!.id, 'delivered')).attempts, 3);

    receiver.answers.set(
      path,
      Array.from({ length: 4 }, () => ({ status: 302, headers: { location: receiver.url(path) } })),
    );
    await robot.pat();
    const last = (await receiver.count(path, 7)).at(-1)!;
    const failed = await delivered(api, id, last.id, 'failed');
    assert.deepEqual([failed.attempts, failed.last_status], [4, 302]);
    assert.match(failed.last_error, /redirects are not followed/);

    const replayed = await post(api, `/v1/webhooks/${id}/deliveries/${last.id}/replay`);
    assert.equal(replayed.body.delivery.status, 'pending');
    assert.equal((await receiver.count(path, 8)).at(-1)!.id, last.id);
    assert.equal((await delivered(api, id, last.id, 'delivered')).attempts, 5);
    assert.equal((await post(api, `/v1/webhooks/${id}/deliveries/msg_none/replay`)).status, 404);
  });

  it('a replay sends a message that lost its job, and not one that is still scheduled', async () => {
    const tenant = await system.tenant();
    const api = await apiOf(tenant);
    const { id, path } = await made(api);
    const { deliveries } = system.store;
    const payload = { type: 'pat', timestamp: new Date().toISOString(), data: {} };
    const [lost, waits] = [deliveries.newDelivery('msg_lost', null, payload), deliveries.newDelivery('msg_waits', null, payload)];
    await deliveries.addOpen({ account: tenant.account, id }, [{ ...lost, nextAt: lost.createdAt - 3_600_000 }, waits]);
    assert.equal((await post(api, `/v1/webhooks/${id}/deliveries/msg_waits/replay`)).status, 400);
    assert.equal((await post(api, `/v1/webhooks/${id}/deliveries/msg_lost/replay`)).status, 200);
    assert.equal((await delivered(api, id, 'msg_lost', 'delivered')).attempts, 1);
    assert.equal(receiver.at(path).length, 1);
  });

  it('410 disables a webhook, and a test that is delivered enables it again', async () => {
    const tenant = await system.tenant();
    const api = await apiOf(tenant);
    const { id, path } = await made(api, { names: ['pat'] });
    const { robot } = await tenant.robot();
    receiver.answers.set(path, [{ status: 410 }]);
    await robot.pat();
    await until(async () => (await api.get(`/v1/webhooks/${id}`)).body.webhook.disabled !== null, asking);
    await robot.pat();
    const test = await post(api, `/v1/webhooks/${id}/test`);
    assert.equal(test.body.delivery.type, 'test');
    await delivered(api, id, test.body.delivery.id, 'delivered');
    await until(async () => (await api.get(`/v1/webhooks/${id}`)).body.webhook.disabled === null, asking);
    await robot.tap(5, 5);
    await robot.pat();
    assert.deepEqual(types(await receiver.count(path, 3)), ['pat', 'test', 'pat'], 'what happened while it was disabled is not sent');
  });

  it('a webhook is changed, paused and resumed, and its secret replaced with both signatures for the overlap', async () => {
    const tenant = await system.tenant();
    const api = await apiOf(tenant);
    const { id, path } = await made(api, { names: ['pat'] });
    const { id: robotId, robot } = await tenant.robot();
    const send = (method: string, to: string, body: object) => api.send(method, `/v1/webhooks/${id}${to}`, JSON.stringify(body), { headers: json });
    const refused = async (body: object, field?: string): Promise<void> => {
      const answer = await send('PATCH', '', body);
      assert.deepEqual([answer.status, answer.body.code, answer.body.field], [400, 'bad_argument', field], JSON.stringify(body));
    };
    await refused({});
    await refused({ url: 'ftp://example.com' }, 'url');
    await refused({ robots: ['r-0000000000'] }, 'robots[0]');
    await refused({ names: ['nothing'] }, 'names[0]');
    await refused({ paused: 1 }, 'paused');
    assert.equal((await send('POST', '/secret', { overlap_s: -1 })).body.field, 'overlap_s');

    const { webhook } = (await send('PATCH', '', { robots: [robotId], names: null, paused: true })).body;
    assert.deepEqual([webhook.robots, webhook.names, webhook.paused, typeof webhook.disabled], [[robotId], null, true, 'string']);
    await robot.pat();
    const isPatStored = async (): Promise<boolean> => (await system.store.events.read(robotId, {})).events.some(({ name }) => name === 'pat');
    await until(isPatStored, { what: 'the pat while the webhook is paused' });
    assert.equal((await send('PATCH', '', { paused: false })).body.webhook.disabled, null);
    await robot.tap(5, 5);
    assert.deepEqual(types(await receiver.count(path, 1)), ['tap'], 'what happened while it was paused is not sent');

    const rolled = (await send('POST', '/secret', { overlap_s: 60 })).body;
    assert.notEqual(rolled.secret, receiver.secrets.get(path));
    assert.ok(Date.parse(rolled.webhook.former_secret_until) > Date.now());
    await robot.pat();
    await receiver.count(path, 2);
    receiver.secrets.set(path, rolled.secret);
    await robot.pat();
    await receiver.count(path, 3);
    assert.equal(receiver.forged, 0);
    const other = await tenant.robot();
    const { apiKey } = await system.store.apiKeys.create({ account: tenant.account, robots: [other.id] });
    assert.equal((await (await apiOf(tenant, 0, apiKey)).send('PATCH', `/v1/webhooks/${id}`, '{"paused":true}', { headers: json })).status, 404);
  });

  it('a removed webhook gets no more messages, scheduled retries included', async () => {
    const tenant = await system.tenant();
    const api = await apiOf(tenant);
    const gone = await made(api, { names: ['pat', 'tap'] });
    const stays = await made(api, { names: ['pat', 'tap'] });
    const { robot } = await tenant.robot();
    const { status, body } = await api.send('DELETE', `/v1/webhooks/${gone.id}`, undefined);
    assert.deepEqual([status, body], [200, { ok: true }]);
    await robot.pat();
    await receiver.count(stays.path, 1);
    assert.deepEqual(receiver.at(gone.path), []);
    assert.equal((await api.get(`/v1/webhooks/${gone.id}`)).status, 404);
    assert.deepEqual(
      (await api.get('/v1/webhooks')).body.webhooks.map((each: { id: string }) => each.id),
      [stays.id],
    );
  });

  it('a message is sent by another instance if its sender died or none was running', async () => {
    const tenant = await system.tenant();
    const api = await apiOf(tenant);
    const { id, path } = await made(api, { names: ['pat', 'tap'] });
    const { robot } = await tenant.robot();
    receiver.silent.add(path);
    await robot.pat();
    const [first] = await receiver.count(path, 1);
    const senders = system.cluster.webhooks.filter(({ running }) => running);
    for (const sender of senders) sender.signal('SIGKILL');
    await Promise.all(senders.map(({ ended }) => ended));
    receiver.silent.delete(path);
    await robot.tap(10, 10);
    for (const sender of senders) await system.cluster.replace(sender);
    assert.equal((await delivered(api, id, first!.id, 'delivered')).attempts, 1, 'the attempt that nobody lived to see does not count');
    await until(() => types(receiver.at(path)).includes('tap'), asking);
    assert.deepEqual(new Set(types(receiver.at(path))), new Set(['pat', 'tap']));
    assert.equal(new Set(receiver.at(path).map((each) => each.id)).size, 2);
  });

  it('accounts, and keys for some robots, can see and change their own webhooks only', async () => {
    const [tenant, stranger] = [await system.tenant(), await system.tenant()];
    const [mine, other] = [await tenant.offlineRobot(), await tenant.offlineRobot()];
    const { apiKey } = await system.store.apiKeys.create({ account: tenant.account, name: 'one', robots: [mine.id] });
    const [api, foreign, narrow] = [await apiOf(tenant), await apiOf(stranger), await apiOf(tenant, 0, apiKey)];
    const { id } = await made(api);
    for (const each of [foreign, narrow]) {
      assert.deepEqual((await each.get('/v1/webhooks')).body.webhooks, []);
      for (const path of ['', '/deliveries']) assert.equal((await each.get(`/v1/webhooks/${id}${path}`)).status, 404);
      assert.equal((await post(each, `/v1/webhooks/${id}/test`)).status, 404);
      assert.equal((await each.send('DELETE', `/v1/webhooks/${id}`, undefined)).status, 404);
    }
    const refused = async (from: CheckedApi, args: object): Promise<unknown[]> => {
      const { status, body } = await from.send('POST', '/v1/webhooks', JSON.stringify({ url: receiver.url('/'), ...args }), { headers: json });
      return [status, body.field];
    };
    assert.deepEqual(await refused(foreign, { robots: [mine.id] }), [400, 'robots[0]']);
    assert.deepEqual(await refused(narrow, { robots: [mine.id, other.id] }), [400, 'robots[1]']);
    assert.deepEqual(await refused(narrow, {}), [400, 'robots']);
    assert.deepEqual(await refused(api, { names: ['tapp'] }), [400, 'names[0]']);
    assert.deepEqual(await refused(api, { url: 'ftp://example.com' }), [400, 'url']);
    assert.deepEqual(await refused(api, { secret: 'x' }), [400, 'secret']);
    const own = await made(narrow, { robots: [mine.id] });
    assert.deepEqual(
      (await narrow.get('/v1/webhooks')).body.webhooks.map((each: { id: string }) => each.id),
      [own.id],
    );
    assert.equal((await narrow.send('PUT', `/v1/webhooks/${own.id}`, undefined)).status, 405);
  });
});
