/** Idempotency-Key across gateways that die, stall and drain: a call is performed once, and every gateway returns its answer to a repetition. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { until } from '@perch/testkit';
import type { VirtualRobot } from '@perch/virtual-robot';
import type { Answer, Api, CallOptions } from '../fixture/clients/api.js';
import { checkedApi } from '../fixture/system/shared-systems.js';
import { questionShown, waitArmed, left } from '../fixture/robots/question.js';
import { TestSystem, type Tenant } from '../fixture/system/test-system.js';
import { MovableRobot } from '../fixture/robots/movable-robot.js';

const question = { question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 60 };

describe('Idempotency-Key (2 gateways, 2 robot-links, 1 renderer)', function () {
  this.timeout(60_000);
  let system: TestSystem;
  let tenant: Tenant;
  let key: string;
  before(async () => {
    system = await TestSystem.open({ gateways: 2, links: 2, renderers: 1 });
  });
  beforeEach(async () => {
    tenant = await system.tenant();
    key = randomUUID();
  });
  afterEach(async () => {
    await system?.clear();
    const { gateways, links } = system.cluster;
    for (const instance of [...gateways, ...links]) if (!instance.running) await system.cluster.replace(instance);
  });
  after(() => system?.close());

  const act = (api: Api, robot: string, action: string, args: object, options: CallOptions = {}): Promise<Answer> =>
    api.act(robot, action, args, { ...options, headers: { 'idempotency-key': key } });
  const replayed = ({ headers }: Answer): string | null => headers.get('idempotent-replayed');
  const times = (robot: VirtualRobot, name: string, layer?: string): number =>
    robot.commands.filter((command) => command.name === name && (layer === undefined || command.args['layer'] === layer)).length;
  const record = async (robot: string): Promise<string> => (await system.store.connections.commands.keys(`perch:{${robot}}:call:*`))[0]!;

  it('25 calls at once with one Idempotency-Key on two gateways are performed once and all get the answer; other arguments get 400', async () => {
    const { id, robot } = await tenant.robot({ faults: { ackLateMs: 300 } });
    const apis = [await checkedApi(tenant), await checkedApi(tenant, 1)] as const;
    const answers = await Promise.all(Array.from({ length: 25 }, (_, i) => act(apis[i % 2]!, id, 'move', { yaw: 20, pitch: 30 })));
    for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]!.body]);
    assert.deepEqual([times(robot, 'head.move'), answers.filter((answer) => replayed(answer) === null).length], [1, 1]);
    const other = await act(apis[1], id, 'move', { yaw: 21 });
    assert.deepEqual([other.status, other.body.field, times(robot, 'head.move')], [400, 'Idempotency-Key', 1]);
  });

  it("a repeated call whose gateway died before the ack gets the robot's ack from the other gateway, and nothing is resent", async () => {
    const { id, robot } = await tenant.robot({ faults: { ackLateMs: 1500 } });
    const lost = act(tenant.api(0), id, 'command', { command: 'brightness', args: { pct: 60 } });
    lost.catch(() => {});
    await robot.until(() => times(robot, 'robot') === 1);
    system.cluster.gateways[0]!.signal('SIGKILL');
    await assert.rejects(lost);
    const again = await act(await checkedApi(tenant, 1), id, 'command', { command: 'brightness', args: { pct: 60 } });
    assert.deepEqual([again.status, again.body.ok, replayed(again), times(robot, 'robot')], [200, true, 'true', 1], JSON.stringify(again.body));
  });

  it('a repeated call whose gateway and robot-link died before the ack gets outcome_unknown, and nothing is resent', async () => {
    const { id, robot, proxy } = await MovableRobot.start(tenant, { faults: { ackLateMs: 60_000 } });
    const lost = act(tenant.api(0), id, 'move', { gesture: 'nod' });
    lost.catch(() => {});
    await robot.until(() => times(robot, 'head.gesture') === 1);
    proxy.switchTo(system.link(1));
    system.cluster.links[0]!.signal('SIGKILL');
    system.cluster.gateways[0]!.signal('SIGKILL');
    await assert.rejects(lost);
    // As if it had been a while ago: an ack can no longer arrive.
    await system.store.connections.commands.hincrby(await record(id), 'begun_at', -60_000);
    const api = await checkedApi(tenant, 1);
    for (const attempt of [1, 2]) {
      const { status, body } = await act(api, id, 'move', { gesture: 'nod' });
      assert.deepEqual([status, body.code, times(robot, 'head.gesture')], [503, 'outcome_unknown', 1], `attempt ${attempt}`);
    }
  });

  it('a repeated question whose gateway died is not drawn again, and the other gateway returns the tap', async () => {
    const { id, robot } = await tenant.robot({ instant: true });
    const lost = act(tenant.api(0), id, 'ask', question);
    lost.catch(() => {});
    await waitArmed(system, id, robot);
    system.cluster.gateways[0]!.signal('SIGKILL');
    await assert.rejects(lost);
    const back = act(await checkedApi(tenant, 1), id, 'ask', question);
    // The tap counts before and after the other gateway has taken the wait over.
    await robot.tap(...left);
    const { status, body } = await back;
    assert.deepEqual([status, body.answer, times(robot, 'screen.show', 'question')], [200, 'Yes', 1]);
    assert.equal((await act(await checkedApi(tenant, 1), id, 'ask', question)).body.answer, 'Yes');
  });

  it('a question of a gateway that stalls is taken over by the other one: both answer the tap, and it was drawn once', async () => {
    const { id, robot } = await tenant.robot({ instant: true });
    const first = act(tenant.api(0), id, 'ask', question);
    await waitArmed(system, id, robot);
    const claim = await system.store.connections.commands.hget(await record(id), 'claim');
    system.cluster.gateways[0]!.signal('SIGSTOP');
    try {
      const second = act(tenant.api(1), id, 'ask', question);
      await until(async () => (await system.store.connections.commands.hget(await record(id), 'claim')) !== claim, {
        what: 'the call to be taken over',
        timeoutMs: 20_000,
      });
      system.cluster.gateways[0]!.signal('SIGCONT');
      await robot.tap(...left);
      assert.deepEqual([(await first).body.answer, (await second).body.answer, times(robot, 'screen.show', 'question')], ['Yes', 'Yes', 1]);
    } finally {
      system.cluster.gateways[0]!.signal('SIGCONT');
    }
  });

  it('a question outlives a hang-up by 15 s: a repetition on another gateway gets its answer, and without one it disappears', async () => {
    const { id, robot } = await tenant.robot({ instant: true });
    const hungUp = async (i: number): Promise<void> => {
      const abort = new AbortController();
      const call = act(tenant.api(i), id, 'ask', question, { signal: abort.signal });
      call.catch(() => {});
      await waitArmed(system, id, robot);
      await until(async () => i === 0 || (await system.store.connections.commands.hexists(await record(id), 'wanted_at')) === 1);
      abort.abort();
      await assert.rejects(call);
    };
    await hungUp(0);
    await hungUp(1);
    const back = act(tenant.api(1), id, 'ask', question);
    const shown = await questionShown(robot);
    await robot.tap(...left);
    assert.deepEqual([(await back).body.answer, times(robot, 'screen.show', 'question')], ['Yes', 1]);

    key = randomUUID();
    const gone = new AbortController();
    const call = act(tenant.api(0), id, 'ask', question, { signal: gone.signal });
    call.catch(() => {});
    await questionShown(robot, shown);
    const since = performance.now();
    gone.abort();
    await robot.until(({ screen }) => screen.question === null, { what: 'the question to go', timeoutMs: 40_000 });
    assert.ok(performance.now() - since > 14_000, `${performance.now() - since} ms`);
    assert.equal((await tenant.api(1).act(id, 'say', { text: 'Free' })).status, 200);
  });

  it('a draining gateway ends its question with 503 draining, and the same key asks again elsewhere', async () => {
    const gateway = await system.cluster.add('gateway', { PERCH_DRAIN_MS: '500' });
    const { id, robot } = await tenant.robot({ instant: true });
    const call = act(tenant.api().at(gateway.address), id, 'ask', question);
    const first = await questionShown(robot);
    const stopping = gateway.stop();
    const ended = await call;
    assert.deepEqual([ended.status, ended.body.code], [503, 'draining']);
    assert.equal((await stopping).code, 0);
    const again = act(tenant.api(1), id, 'ask', question);
    await questionShown(robot, first);
    await waitArmed(system, id, robot);
    await robot.tap(...left);
    assert.equal((await again).body.answer, 'Yes');
  });
});
