import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { metric } from '../fixture/telemetry/metric.js';
import { agentKinds, callMessage, modernCall, post } from '../fixture/clients/mcp.js';
import { questionShown, left } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes, type SystemUnderTest } from '../fixture/system/system-under-test.js';

const question = { question: 'Anybody?', answers: ['a', 'b'], timeout_s: 60 };

async function held(system: SystemUnderTest): Promise<number> {
  const counts = await Promise.all(system.cluster.gateways.map(({ admin }) => metric(admin, 'perch_gateway_held_calls')));
  return counts.reduce((sum, count) => sum + count, 0);
}

onSharedSystems(
  'mcp cancellation',
  (system) => {
    const nothingHeld = (): Promise<unknown> => until(async () => (await held(system())) === 0, { what: 'no call to be held' });

    for (const { name, connect } of agentKinds) {
      it(`${name}: cancelling a call removes its question at once, and the next call finds the robot free`, async () => {
        const tenant = await system().tenant();
        const { robot } = await tenant.robot();
        const agent = await connect(system().gateway(), tenant.key);
        const abort = new AbortController();
        const call = agent.call('robot_ask', question, { signal: abort.signal });
        const first = await questionShown(robot);
        abort.abort();
        await assert.rejects(call);
        await robot.until((r) => r.screen.question === null);
        await nothingHeld();
        const next = agent.call('robot_ask', { ...question, timeout_s: 20 });
        await questionShown(robot, first);
        await robot.tap(...left);
        assert.equal((await next).answer.outcome, 'answered');
        await agent.close();
      });
    }

    it('closing the stream of a call removes its question, in every revision', async () => {
      const { message, headers } = modernCall('robot_ask', question);
      for (const [body, more] of [
        [message, headers],
        [callMessage('robot_ask', question), {}],
      ] as const) {
        const tenant = await system().tenant();
        const { robot } = await tenant.robot();
        const abort = new AbortController();
        const call = post(system().gateway(), tenant.key, body, more, abort.signal);
        await questionShown(robot);
        abort.abort();
        await assert.rejects(call);
        await robot.until((r) => r.screen.question === null);
      }
      await nothingHeld();
    });

    it('a cancellation reaches its call on another gateway, and the call gets no response', async () => {
      const tenant = await system().tenant();
      const { robot } = await tenant.robot();
      const call = post(system().gateway(0), tenant.key, callMessage('robot_ask', question, 'q-1'));
      await questionShown(robot);
      const cancelled = await post(system().gateway(1), tenant.key, {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 'q-1', reason: 'test' },
      });
      assert.deepEqual([cancelled.status, cancelled.text], [202, '']);
      const { status, text } = await call;
      assert.equal(status, 200);
      assert.ok(!text.includes('"result"') && !text.includes('"error"'), text);
      await robot.until((r) => r.screen.question === null);
      await nothingHeld();
    });

    it('a cancellation ends no other call, and none of another client or key', async () => {
      const tenant = await system().tenant();
      const stranger = await system().tenant();
      const { robot } = await tenant.robot();
      const call = post(system().gateway(), tenant.key, callMessage('robot_ask', question, 7));
      await questionShown(robot);
      const cancelled = (requestId: unknown) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
      const attempts: [key: string, id: unknown, headers?: Record<string, string>][] = [
        [tenant.key, 8],
        [tenant.key, '7'],
        [tenant.key, null],
        [tenant.key, { id: 7 }],
        [stranger.key, 7],
        [tenant.key, 7, { 'user-agent': 'another client' }],
      ];
      for (const [key, id, headers] of attempts) await post(system().gateway(1), key, cancelled(id), headers);
      await robot.tap(...left);
      const { text } = await call;
      assert.match(text, /"outcome":"answered"/);
    });

    it('a cancelled poll for events ends', async () => {
      const tenant = await system().tenant();
      await tenant.robot();
      const { last_seq: after } = JSON.parse(
        (await post(system().gateway(), tenant.key, callMessage('robot_events', { names: ['connected'], seconds: 10 }))).text
          .split('data: ')[1]!
          .split('\n')[0]!,
      ).result.structuredContent;
      const call = post(system().gateway(), tenant.key, callMessage('robot_events', { after, seconds: 60 }, 3));
      await until(async () => (await held(system())) === 1, { what: 'a held poll' });
      await post(system().gateway(1), tenant.key, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } });
      assert.ok(!(await call).text.includes('"result"'));
      await nothingHeld();
    });

    it('revoking a key ends its waiting call as a failure within a second and removes its question', async () => {
      const tenant = await system().tenant();
      const { robot } = await tenant.robot();
      const call = post(system().gateway(), tenant.key, callMessage('robot_ask', question));
      await questionShown(robot);
      await system().store.apiKeys.revoke(tenant.account, tenant.keyId);
      const { text } = await call;
      assert.match(text, /"isError":true/);
      assert.match(text, /unauthorized/);
      await robot.until((r) => r.screen.question === null);
    });
  },
  [shapes[1]!],
);
