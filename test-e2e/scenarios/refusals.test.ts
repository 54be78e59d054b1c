import assert from 'node:assert/strict';
import { movingMaxMs } from '@perch/store';
import { allFeatures } from '@perch/virtual-robot';
import { until } from '@perch/testkit';
import { checkedApi, onSingleInstances } from '../fixture/system/shared-systems.js';

/** A valid call of each action that reaches the robot, and the feature that the robot needs for it. */
const calls: [action: string, args: object, needs: string[]][] = [
  ['show', { text: 'x' }, ['screen']],
  ['show', { clear: true }, ['screen']],
  ['say', { text: 'x' }, ['bubble']],
  ['face', { emotion: 'happy' }, ['face']],
  ['move', { gesture: 'nod' }, ['head']],
  ['leds', { off: true }, ['leds']],
  ['sound', { chime: 'yes' }, ['speaker']],
  ['sound', { volume: 5 }, ['speaker']],
  ['speak', { text: 'Hello' }, ['speaker']],
  ['ask', { question: 'Q', answers: ['a', 'b'] }, ['screen', 'touch']],
  ['menu', { items: ['a', 'b'] }, ['screen', 'touch']],
  ['clickmap', { regions: [{ id: 'r', rect: [0, 0, 1, 1] }] }, ['screen', 'touch']],
  ['command', { command: 'dance' }, []],
];

const tooLarge = `{"text":"${'x'.repeat(2_097_152)}"}`;
const json = { 'content-type': 'application/json' };

onSingleInstances('refusals', (system) => {
  it('an action gets 501 if the robot lacks a feature it needs, and nothing is sent to the robot', async () => {
    const tenant = await system().tenant();
    const api = await checkedApi(tenant);
    for (const lacking of allFeatures) {
      const { id, robot } = await tenant.robot({ features: allFeatures.filter((feature) => feature !== lacking), commands: [] });
      for (const [action, args, needs] of calls) {
        if (!needs.includes(lacking)) continue;
        const { status, body } = await api.act(id, action, args);
        assert.deepEqual([status, body.code], [501, 'not_offered'], `${action} without ${lacking}`);
        assert.match(body.error, new RegExp(lacking));
      }
      assert.deepEqual(robot.commands, []);
    }
    const { id } = await tenant.robot();
    assert.equal((await api.act(id, 'command', { command: 'dance' })).status, 501);
  });

  it('every action on an offline robot gets 503 at once, and its state and events can be read', async () => {
    const tenant = await system().tenant();
    const api = await checkedApi(tenant);
    const { id } = await tenant.offlineRobot();
    const gone = await tenant.robot();
    await gone.robot.stop();
    await until(async () => !(await api.get(`/v1/robots/${gone.id}`)).body.online);
    for (const [action, args] of calls) {
      for (const robot of [id, gone.id]) {
        const began = performance.now();
        const { status, body } = await api.act(robot, action, args);
        assert.deepEqual([status, body.code], [503, 'robot_offline'], action);
        assert.ok(performance.now() - began < movingMaxMs, `${action} waited for a robot that is not moving`);
      }
    }
    const roomy = api.with((await system().store.apiKeys.create({ account: tenant.account })).apiKey);
    for (const read of ['state', 'events']) assert.equal((await roomy.act(gone.id, read)).status, 200);
    assert.equal((await roomy.get(`/v1/robots/${gone.id}`)).status, 200);
  });

  it('the first of several errors in one call is returned, in this order: 401, 404, 429, 413/415, 400, 503, 501, pictures', async () => {
    const tenant = await system().tenant();
    const api = await checkedApi(tenant);
    const foreign = await (await system().tenant()).robot();
    const away = await tenant.offlineRobot();
    const bare = await tenant.robot({ features: [], commands: [] });
    const { id } = await tenant.robot();
    const post = (key: string, robot: string, action: string, body: string, headers: Record<string, string>) =>
      api.with(key).send('POST', `/v1/robots/${robot}/${action}`, body, { headers });
    const notAPicture = { image: Buffer.from('GIF89a').toString('base64') };

    const { apiKeys } = system().store;
    const { apiKey: revoked, id: revokedId } = await apiKeys.create({ account: tenant.account });
    await apiKeys.revoke(tenant.account, revokedId);
    const { apiKey: empty } = await apiKeys.create({ account: tenant.account });
    const burst = await Promise.all(Array.from({ length: 45 }, () => post(empty, away.id, 'show', '{"no', { 'content-type': 'text/plain' })));
    assert.deepEqual([...new Set(burst.map(({ status }) => status))].toSorted(), [415, 429], 'an empty bucket before what is wrong with the body');

    const steps: [what: string, key: string, robot: string, action: string, body: string, headers: Record<string, string>, status: number][] = [
      ['no key that works', revoked, foreign.id, 'nothing', tooLarge, {}, 401],
      ['no such robot', empty, foreign.id, 'nothing', tooLarge, {}, 404],
      ['too large', tenant.key, away.id, 'show', tooLarge, { 'content-type': 'text/plain' }, 413],
      ['not JSON', tenant.key, away.id, 'show', '{"no', { 'content-type': 'text/plain' }, 415],
      ['malformed', tenant.key, away.id, 'show', '{"no', json, 400],
      ['a wrong argument', tenant.key, away.id, 'show', '{"text":7}', json, 400],
      ['an excluded command', tenant.key, away.id, 'command', '{"command":"restart"}', json, 400],
      ['away', tenant.key, away.id, 'show', JSON.stringify(notAPicture), json, 503],
      ['away, and of an undeclared command', tenant.key, away.id, 'command', '{"command":"dance"}', json, 503],
      ['without a screen', tenant.key, bare.id, 'show', JSON.stringify(notAPicture), json, 501],
      ['not a picture', tenant.key, id, 'show', JSON.stringify(notAPicture), json, 400],
    ];
    for (const [what, key, robot, action, body, headers, status] of steps) {
      const answer = await post(key, robot, action, body, headers);
      assert.equal(answer.status, status, `${what}: ${JSON.stringify(answer.body)}`);
    }
  });

  it("Accept: application/problem+json returns the same failure with RFC 9457's members", async () => {
    const tenant = await system().tenant();
    const api = await checkedApi(tenant);
    const { id } = await tenant.robot();
    const { status, headers, body } = await api.act(id, 'say', { text: '' }, { headers: { accept: 'application/problem+json, application/json' } });
    assert.equal(status, 400);
    assert.equal(headers.get('content-type'), 'application/problem+json');
    assert.deepEqual([body.status, body.detail, body.code, body.field], [400, body.error, 'bad_argument', 'text']);
    assert.ok(body.title && body.type && body.instance.includes(body.request_id));
  });

  it("a caller's request id is returned in the response; an invalid one is replaced", async () => {
    const tenant = await system().tenant();
    const api = await checkedApi(tenant);
    const { headers, body } = await api.act('r-0000000000', 'say', {}, { headers: { 'x-request-id': 'my-id.1' } });
    assert.deepEqual([headers.get('x-request-id') ?? body.request_id, body.request_id], ['my-id.1', 'my-id.1']);
    assert.notEqual((await api.act('r-0000000000', 'say', {}, { headers: { 'x-request-id': 'a b"c' } })).body.request_id, 'a b"c');
  });
});
