import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { until } from '@perch/testkit';
import { question } from './open-wait.js';
import { useGateway, useOwner, type Answer } from './gateway-under-test.js';
import { callTool } from './mcp/mcp-requests.js';

describe('POST /v1/groups/{label}/{action}', () => {
  const system = useGateway();
  const owner = useOwner(system);
  /** Ascending; the last one has no label. */
  let robots: string[];

  beforeEach(async () => {
    const others = await addRobots(2);
    const labelled = [owner.robot, others[0]!].toSorted();
    robots = [...labelled, others[1]!];
    for (const robot of labelled) await system.store.robotLabels.change(owner.account, robot, { set: { room: 'r 7' } });
  });

  async function addRobots(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) {
      const { robot, token } = await system.store.robots.create({ account: owner.account });
      await system.link.take(robot, token);
      ids.push(robot);
    }
    return ids;
  }

  const group = (action: string, body: unknown = {}, { label = 'room=r 7', query = '', ...more }: Record<string, any> = {}): Promise<Answer> =>
    system.ask('POST', `/v1/groups/${encodeURIComponent(label)}/${action}${query}`, { apiKey: owner.apiKey, body, ...more });
  const actedOn = (): string[] => system.link.commands.map(({ robot }) => robot).toSorted();
  const left = ({ headers }: Answer): number => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

  it('acts on every robot with the label, answers once for each, and costs one action for each', async () => {
    const answer = await group('leds', { color: 'red' });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, { ok: true, robots: robots.slice(0, 2).map((robot) => ({ robot, ok: true })), failed: 0 });
    assert.deepEqual(actedOn(), robots.slice(0, 2));
    assert.equal(left(answer), 28);
  });

  it('acts on every robot of the key with all, and on no robot that the key does not reach', async () => {
    await group('leds', { color: 'red' }, { label: 'all' });
    assert.deepEqual(actedOn(), robots.toSorted());
    system.link.commands.length = 0;
    const { apiKey } = await system.store.apiKeys.create({ account: owner.account, robots: [robots[0]!] });
    const stranger = await system.ownerOnline();
    await system.store.robotLabels.change(stranger.account, stranger.robot, { set: { room: 'r 7' } });
    for (const label of ['all', 'room=r 7']) {
      const { body } = await system.ask('POST', `/v1/groups/${encodeURIComponent(label)}/leds`, { apiKey, body: { color: 'red' } });
      assert.deepEqual(body.robots, [{ robot: robots[0], ok: true }], label);
    }
    assert.deepEqual(new Set(actedOn()), new Set([robots[0]]));
  });

  it('answers the failure of one robot in its place, and acts on the others', async () => {
    await system.link.release(robots[0]!, 'away');
    const { status, body } = await group('leds', { color: 'red' });
    assert.deepEqual([status, body.ok, body.failed], [200, true, 1]);
    assert.deepEqual([body.robots[0].robot, body.robots[0].ok, body.robots[0].code], [robots[0], false, 'robot_offline']);
    assert.match(body.robots[0].next, /^GET \/v1\/robots\/\{robot\} says whether the robot is online again/);
    const tool = await callTool(system, owner, 'robot_group', { label: 'room=r 7', action: 'leds', args: { color: 'red' } });
    assert.match(tool.body.result.structuredContent.robots[0].next, /^Tell the user that the robot is offline\. robot_state /);
    assert.deepEqual(body.robots[1], { robot: robots[1], ok: true });
  });

  it('rejects a label that no robot has with 404 and its name, a malformed one and wrong arguments with 400, each for one action', async () => {
    const unknown = await group('leds', { color: 'red' }, { label: 'room=r9' });
    assert.deepEqual([unknown.status, unknown.body.code, left(unknown)], [404, 'not_found', 29]);
    assert.match(unknown.body.error, /"room=r9"/);
    const cases: [body: object, more: object, field: string][] = [
      [{ color: 'red' }, { label: 'room' }, 'label'],
      [{ color: 'red' }, { label: 'Room=r7' }, 'label'],
      [{ color: 'no colour' }, {}, 'color'],
      [{ color: 'red' }, { query: '?answers=first' }, 'answers'],
      [{ color: 'red' }, { query: '?answers=some' }, 'answers'],
      [{ color: 'red' }, { headers: { 'idempotency-key': '' } }, 'Idempotency-Key'],
    ];
    for (const [body, more, field] of cases) {
      const answer = await group('leds', body, more);
      assert.deepEqual([answer.status, answer.body.field], [400, field], field);
      assert.ok(left(answer) < 30, `${field}: costs an action`);
    }
    assert.equal((await group('scene', { actions: [{ action: 'face', emotion: 'sad' }] })).status, 404);
    assert.equal((await system.ask('GET', '/v1/groups/all/leds', { apiKey: owner.apiKey })).status, 405);
    assert.deepEqual(actedOn(), []);
  });

  it('is refused whole, without effect, where the rate limit cannot cover every robot', async () => {
    for (let i = 0; i < 14; i++) await group('leds', { color: 'red' });
    system.link.commands.length = 0;
    let refused: Answer;
    do refused = await group('leds', { color: 'blue' });
    while (refused.status === 200 && (system.link.commands.length = 0) === 0);
    assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited']);
    assert.deepEqual(actedOn(), []);
  });

  it('takes a group that costs more than the limit from a full bucket, and makes later calls wait until it is paid for', async () => {
    await addRobots(32);
    const { status, body } = await group('leds', { color: 'red' }, { label: 'all' });
    assert.deepEqual([status, body.robots.length, body.failed], [200, 35, 0]);
    const next = await group('leds', { color: 'red' });
    assert.equal(next.status, 429);
  });

  it('rejects a group of more than 100 robots', async () => {
    const { commands } = system.store.connections;
    const ids = Array.from({ length: 100 }, () => `r-${randomUUID().replaceAll('-', '').slice(0, 10)}`);
    await Promise.all(ids.map((id) => commands.hset(`perch:{${id}}`, { account: owner.account, created_at: 1 })));
    await commands.sadd(`perch:{${owner.account}}:robots`, ...ids);
    const { status, body } = await group('leds', { color: 'red' }, { label: 'all' });
    assert.deepEqual([status, body.field], [400, 'label']);
    assert.match(body.error, /more than 100/);
  });

  it('refuses a key without the scope of the action', async () => {
    const { apiKey } = await system.store.apiKeys.create({ account: owner.account, scopes: ['read'] });
    const refused = await system.ask('POST', '/v1/groups/all/leds', { apiKey, body: { color: 'red' } });
    assert.deepEqual([refused.status, refused.body.code], [403, 'scope_missing']);
    const read = await system.ask('POST', '/v1/groups/all/state', { apiKey, body: {} });
    assert.deepEqual([read.status, read.body.robots.length], [200, 3]);
  });

  it('ends a question to a group with the first answer, and the questions of the other robots disappear', async () => {
    const asked = group('ask', question, { query: '?answers=first' });
    await until(() => system.link.waits.length === 2);
    const waitOf = async (robot: string) => {
      for (const record of system.link.waits) if ((await system.store.waits.read(robot, record.number)) !== null) return record;
      throw new Error('no wait');
    };
    const record = await waitOf(robots[1]!);
    await until(async () => (await system.store.waits.read(robots[1]!, record.number))?.armed !== null);
    await system.link.settle(robots[1]!, record, { outcome: 'answered', index: 1, x: 1, y: 1 });
    const { status, body } = await asked;
    assert.deepEqual([status, body.first, body.failed], [200, robots[1], 0]);
    assert.deepEqual(
      body.robots.map(({ robot, outcome, answer, index }: Record<string, unknown>) => [robot, outcome, answer, index]),
      [
        [robots[0], 'replaced', null, null],
        [robots[1], 'answered', 'No', 1],
      ],
    );
    const other = await waitOf(robots[0]!);
    assert.equal((await system.store.waits.read(robots[0]!, other.number))?.outcome?.outcome, 'cancelled');
  });

  it('ends a question to a group when every robot has ended its own, unless told otherwise', async () => {
    const { body } = await group('ask', { ...question, timeout_s: 0.3 });
    assert.deepEqual(
      body.robots.map(({ robot, outcome }: Record<string, unknown>) => [robot, outcome]),
      robots.slice(0, 2).map((robot) => [robot, 'timed_out']),
    );
    assert.equal('first' in body, false);
  });

  it('does each action once however often the call is repeated with its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const [first, again] = [await group('leds', { color: 'red' }, { headers }), await group('leds', { color: 'red' }, { headers })];
    assert.deepEqual(again.body, first.body);
    assert.deepEqual(actedOn(), robots.slice(0, 2));
  });

  it('counts a call as groups, and has one entry in the activity for each robot', async () => {
    await group('leds', { color: 'red' });
    assert.match(await system.metrics.metrics(), /perch_gateway_requests_total\{action="groups",code="ok"\} \d/);
    const { body } = await system.ask('GET', '/v1/activity?action=leds', { apiKey: owner.apiKey });
    assert.deepEqual(body.activity.map(({ robot }: { robot: string }) => robot).toSorted(), robots.slice(0, 2));
  });
});
