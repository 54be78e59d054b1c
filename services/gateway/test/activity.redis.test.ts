import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ActivityView } from '@perch/schema';
import { until } from '@perch/testkit';
import { openWait } from './open-wait.js';
import { Browser } from './console/browser.js';
import { GatewayUnderTest, useGateway, useOwner, type Answer } from './gateway-under-test.js';
import { callTool } from './mcp/mcp-requests.js';

describe('the activity of an account', () => {
  const system = useGateway();
  const owner = useOwner(system);

  const get = (path: string, apiKey = owner.apiKey): Promise<Answer> => system.ask('GET', `/v1/activity${path}`, { apiKey });
  const ok = async (path: string, apiKey = owner.apiKey): Promise<any> => {
    const { status, body } = await get(path, apiKey);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  /** A call is recorded once its connection has taken the answer: its client may read before. */
  const recorded = async (count: number, query = '', apiKey = owner.apiKey): Promise<ActivityView[]> => {
    let found: ActivityView[] = [];
    await until(
      async () => {
        found = (await ok(query, apiKey)).activity;
        return found.length >= count;
      },
      { what: `${count} entries`, everyMs: 300 },
    );
    assert.equal(found.length, count, JSON.stringify(found));
    return found;
  };

  it('holds each call that acts on a robot, with key, robot, outcome and duration, and no read', async () => {
    assert.equal((await system.act(owner, 'face', { emotion: 'happy' })).status, 200);
    assert.equal((await system.act(owner, 'face', { emotion: 'green' })).status, 400);
    assert.equal((await system.ask('GET', `/v1/robots/${owner.robot}`, { apiKey: owner.apiKey })).status, 200);
    const [first, second] = await recorded(2);
    const { seq, at, seconds, ...rest } = first!;
    assert.deepEqual(rest, {
      kind: 'calls',
      via: 'http',
      key: { id: owner.keyId, name: '' },
      robot: owner.robot,
      action: 'face',
      outcome: 'ok',
      count: 1,
      question: null,
      answer: null,
      x: null,
      y: null,
      tap_s: null,
      network: null,
      subject: null,
      guest: null,
    });
    assert.ok(seq > 0 && Math.abs(Date.parse(at) - system.store.clock.now()) < 30_000 && seconds! >= 0 && seconds! < 30);
    assert.deepEqual([second!.action, second!.outcome], ['face', 'bad_argument']);
  });

  it('holds the question, the answer that was tapped and the time to the tap, and counts them in the usage', async () => {
    const { answer, record } = await openWait(system, owner, 'ask', { question: 'Coffee? '.repeat(30), answers: ['Yes', '=No'] });
    await system.link.settle(owner.robot, record, { outcome: 'answered', index: 1, x: 10, y: 20 } as never);
    assert.equal((await answer).body.answer, '=No');
    system.link.onWait = (wait, robot) => void system.link.settle(robot, wait, { outcome: 'timed_out' });
    assert.equal((await system.act(owner, 'menu', { title: 'Pick', items: ['a', 'b'] })).body.outcome, 'timed_out');
    const [asked, late] = await recorded(2);
    assert.deepEqual([asked!.outcome, asked!.answer, asked!.x, asked!.y], ['answered', '=No', 10, 20]);
    assert.ok(asked!.question!.startsWith('Coffee? Coffee?') && [...asked!.question!].length === 160, asked!.question!);
    assert.ok(asked!.tap_s !== null && asked!.tap_s >= 0 && asked!.tap_s <= asked!.seconds! + 1, `${asked!.tap_s} s`);
    assert.deepEqual([late!.outcome, late!.question, late!.answer, late!.tap_s], ['timed_out', 'Pick', null, null]);
    const [day] = (await ok('/usage')).days;
    const { median_tap_s: median, ...counts } = day.keys.find(({ key }: { key: { id: string } | null }) => key?.id === owner.keyId);
    assert.deepEqual(counts, { key: { id: owner.keyId, name: '' }, calls: 2, refused: 0, asked: 2, answered: 1, answer_rate: 0.5 });
    assert.ok(median > 0);
    const reader = (await system.store.apiKeys.create({ account: owner.account })).apiKey;
    const csv = await fetch(`${system.base}/v1/activity/export?outcome=answered`, { headers: { authorization: `Bearer ${reader}` } });
    assert.deepEqual([csv.status, csv.headers.get('content-type')], [200, 'text/csv; charset=utf-8']);
    assert.match(csv.headers.get('content-disposition')!, /^attachment; filename="perch-activity-\d{4}-\d\d-\d\d\.csv"$/);
    const [head, line, end] = (await csv.text()).split('\r\n');
    assert.ok(head!.startsWith('seq,at,kind,via,key_id,key_name,robot,action,outcome'));
    assert.ok(line!.includes(',answered,1,') && line!.includes(",'=No,"), line);
    assert.equal(end, '');
    assert.deepEqual(
      (await ok('/export?format=json', reader)).map(({ outcome }: ActivityView) => outcome),
      ['answered', 'timed_out'],
    );
    assert.deepEqual(await ok('/export?format=json&action=leds', reader), []);
  });

  it('filters by robot, key, action, outcome and kind, and reads in pages', async () => {
    const other = await system.store.robots.create({ account: owner.account });
    await system.link.take(other.robot, other.token);
    const second = await system.store.apiKeys.create({ account: owner.account, name: 'second' });
    for (const [robot, apiKey, action] of [
      [owner.robot, owner.apiKey, 'face'],
      [other.robot, owner.apiKey, 'stop'],
      [owner.robot, second.apiKey, 'face'],
      [owner.robot, second.apiKey, 'leds'],
    ] as const)
      await system.act({ robot, apiKey }, action, action === 'face' ? { emotion: 'sad' } : {});
    await recorded(4);
    assert.equal((await ok(`?robot=${other.robot}`)).activity.length, 1);
    const seconds = await ok(`?key=${second.id}`);
    assert.deepEqual(
      seconds.activity.map(({ action, outcome, key }: ActivityView) => [action, outcome, key!.name]),
      [
        ['face', 'ok', 'second'],
        ['leds', 'bad_argument', 'second'],
      ],
    );
    assert.equal((await ok('?action=face')).activity.length, 2);
    assert.equal((await ok('?outcome=refused')).activity.length, 1);
    assert.equal((await ok('?kind=changes')).activity.length, 0);
    const all = await ok('');
    const newest = await ok('?limit=3');
    assert.deepEqual(newest.activity, all.activity.slice(1));
    assert.deepEqual((await ok(`?limit=3&before=${newest.next_before}`)).activity, all.activity.slice(0, 1));
    const on = await ok(`?limit=2&after=${all.activity[0].seq}`);
    assert.deepEqual(on.activity, all.activity.slice(1, 3));
    assert.deepEqual((await ok(`?after=${on.last_seq}`)).activity, all.activity.slice(3));
    assert.deepEqual((await ok(`?after=${all.last_seq}`)).activity, []);
  });

  it('refuses arguments that are wrong, naming them', async () => {
    for (const [query, field] of [
      ['?limit=0', 'limit'],
      ['?limit=1001', 'limit'],
      ['?limit=x', 'limit'],
      ['?after=-1', 'after'],
      ['?after=9999999999999999', 'after'],
      ['?after=1&before=2', 'before'],
      ['?kind=other', 'kind'],
      [`?robot=${'r'.repeat(65)}`, 'robot'],
      ['?robot=a&robot=b', 'robot'],
      ['/export?format=xml', 'format'],
    ]) {
      const { status, body } = await get(query!);
      assert.deepEqual([status, body.code, body.field], [400, 'bad_argument', field], query);
    }
  });

  it('shows another account nothing, and a key for some robots only calls of these robots and its own usage', async () => {
    const other = await system.store.robots.create({ account: owner.account });
    await system.link.take(other.robot, other.token);
    const { webhook } = (await system.ask('POST', '/v1/webhooks', { apiKey: owner.apiKey, body: { url: 'https://example.com/hook' } })).body;
    const only = await system.store.apiKeys.create({ account: owner.account, robots: [other.robot] });
    await system.act(owner, 'face', { emotion: 'sad' });
    await system.act({ robot: other.robot, apiKey: only.apiKey }, 'face', { emotion: 'sad' });
    assert.equal((await system.act({ robot: owner.robot, apiKey: only.apiKey }, 'face', { emotion: 'sad' })).status, 404);
    const all = await recorded(4);
    assert.deepEqual(
      all.map(({ action, robot, outcome, subject }) => [action, robot, outcome, subject]).toSorted(),
      [
        ['face', null, 'unknown_robot', null],
        ['face', other.robot, 'ok', null],
        ['face', owner.robot, 'ok', null],
        ['webhook_create', null, 'ok', webhook.id],
      ].toSorted(),
    );
    const [seen] = await recorded(1, '', only.apiKey);
    assert.deepEqual([seen!.robot, seen!.key!.id], [other.robot, only.id]);
    const days = (await ok('/usage', only.apiKey)).days;
    assert.deepEqual(
      days.map(({ keys }: any) => keys.map(({ key }: any) => key.id)),
      [[only.id]],
    );
    const stranger = await system.owner();
    assert.deepEqual((await ok('', stranger.apiKey)).activity, []);
    assert.deepEqual((await ok('/usage', stranger.apiKey)).days, []);
    assert.deepEqual(await ok('/export?format=json', stranger.apiKey), []);
  });

  it('counts equal refusals by the rate limit in one entry', async () => {
    let limited = 0;
    // The bucket fills while a busy machine answers.
    for (let burst = 0; burst < 10 && limited < 20; burst += 1) {
      const answers = await Promise.all(Array.from({ length: 60 }, () => system.act(owner, 'leds', { off: true })));
      limited += answers.filter(({ status }) => status === 429).length;
    }
    assert.ok(limited >= 20, `${limited} limited`);
    const another = await system.store.apiKeys.create({ account: owner.account });
    let found: ActivityView[] = [];
    await until(
      async () => {
        found = (await ok('?outcome=rate_limited', another.apiKey)).activity;
        return found.reduce((sum, { count }) => sum + count, 0) === limited;
      },
      { everyMs: 300 },
    );
    assert.ok(found.length < limited / 2, `${found.length} entries`);
    assert.equal(found[0]!.robot, owner.robot);
  });

  it('holds each change of the account that is made on the web page', async () => {
    const browser = new Browser(system);
    await browser.signUp(`${randomUUID()}@example.org`);
    const made = async (method: string, path: string, body?: object): Promise<any> => {
      const { status, body: answer } = await browser.ask(method, path, body);
      assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(answer)}`);
      return answer;
    };
    const { key } = await made('POST', 'keys', { name: 'x', robots: '*' });
    const { robot } = await made('POST', 'robots', { virtual: true, name: 'Desk' });
    const { webhook } = await made('POST', 'v1/webhooks', { url: 'https://example.com/hook' });
    await made('PATCH', `v1/webhooks/${webhook.id}`, { paused: true });
    await made('POST', `v1/webhooks/${webhook.id}/secret`, {});
    await made('DELETE', `v1/webhooks/${webhook.id}`);
    await made('PATCH', `robots/${robot.id}`, { volume_max: 60 });
    await made('POST', `robots/${robot.id}/token`, {});
    await made('DELETE', `robots/${robot.id}`);
    await made('DELETE', `keys/${key.id}`);
    await made('DELETE', 'sessions');
    let found: ActivityView[] = [];
    const expected = [
      ['sign_up', null],
      ['key_create', key.id],
      ['robot_add', robot.id],
      ['webhook_create', webhook.id],
      ['webhook_change', webhook.id],
      ['webhook_secret_roll', webhook.id],
      ['webhook_remove', webhook.id],
      ['robot_change', robot.id],
      ['robot_token_renew', robot.id],
      ['robot_remove', robot.id],
      ['key_revoke', key.id],
      ['session_end', null],
    ];
    await until(async () => (found = (await made('GET', 'v1/activity?kind=changes')).activity).length >= expected.length, { everyMs: 300 });
    assert.deepEqual(
      found.map(({ action, robot: which, subject }) => [action, which ?? subject]),
      expected,
    );
    assert.ok(found.every(({ via, outcome }) => via === 'page' && outcome === 'ok'));
  });

  it('holds the calls of agents and of the web page, and sign-ins and changes of keys', async () => {
    const browser = new Browser(system);
    const { account } = (await browser.signUp(`${randomUUID()}@example.org`)).body;
    const { key, api_key: apiKey } = (await browser.ask('POST', 'keys', { name: 'Agent', robots: '*' })).body;
    const { robot, token } = await system.store.robots.create({ account: account.id });
    await system.link.take(robot, token);
    assert.equal((await browser.ask('POST', `v1/robots/${robot}/face`, { emotion: 'sad' })).status, 200);
    assert.equal((await callTool(system, { apiKey }, 'robot_face', { robot, emotion: 'happy' })).status, 200);
    const found = await recorded(4, '', apiKey);
    assert.deepEqual(
      found.map(({ kind, via, action, key: of, robot: which, subject, network }) => [kind, via, action, of?.name ?? null, which, subject, network]),
      [
        ['changes', 'page', 'sign_up', null, null, null, '127.0.0.1'],
        ['changes', 'page', 'key_create', null, null, key.id, '127.0.0.1'],
        ['calls', 'page', 'face', null, robot, null, null],
        ['calls', 'agent', 'face', 'Agent', robot, null, null],
      ],
    );
    const page = (await browser.ask('GET', 'v1/activity?key=page')).body.activity;
    assert.ok(page.length === 3 && page.every(({ via }: ActivityView) => via === 'page'));
  });

  it('marks the answer of an earlier call with the same Idempotency-Key as replayed', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    for (let i = 0; i < 2; i += 1) {
      const call = { apiKey: owner.apiKey, body: { emotion: 'sad' }, headers };
      assert.equal((await system.ask('POST', `/v1/robots/${owner.robot}/face`, call)).status, 200);
    }
    assert.deepEqual(
      (await recorded(2)).map(({ outcome }) => outcome),
      ['ok', 'replayed'],
    );
  });

  it('the activity is written when the gateway stops', async () => {
    const stopping = await GatewayUnderTest.start();
    const { apiKey, robot, account } = await stopping.owner();
    assert.equal((await stopping.act({ apiKey, robot }, 'face', { emotion: 'sad' })).status, 503);
    await stopping.stop();
    const page = await system.store.activity.read(account, { after: null, before: null, limit: 10, kind: null, accept: () => true });
    assert.deepEqual(
      page.entries.map(({ outcome }) => outcome),
      ['robot_offline'],
    );
  });
});
