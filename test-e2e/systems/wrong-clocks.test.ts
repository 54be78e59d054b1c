import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { waitArmed, left } from '../fixture/robots/question.js';
import { useSystem } from '../fixture/system/system-under-test.js';

const question = { question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 20 };

describe('instances with wrong clocks', () => {
  const shifted = (hours: number): Record<string, string> => ({
    NODE_OPTIONS: `--import data:text/javascript,const%20now=Date.now;Date.now=()=>now()+${hours * 3_600_000}`,
  });
  const system = useSystem({ gateways: 1, links: 0, renderers: 1 });
  before(async () => {
    await system.cluster.add('gateway', shifted(5));
    await system.cluster.add('robot-link', shifted(-7));
  });

  it("keys, buckets, expiries, deadlines and times of events follow Redis' clock when the instances' clocks are wrong", async () => {
    const tenant = await system.tenant();
    const { id, robot } = await tenant.robot({ instant: true });
    const [good, wrong] = [tenant.api(0), tenant.api(1)];
    assert.equal((await wrong.act(id, 'face', { emotion: 'happy' })).status, 200);
    assert.equal((await wrong.act(id, 'show', { text: randomUUID() })).status, 200);
    const since = performance.now();
    const { body } = await wrong.act(id, 'ask', { ...question, timeout_s: 1 });
    assert.equal(body.outcome, 'timed_out');
    assert.ok(performance.now() - since > 950, `${performance.now() - since} ms`);
    const call = good.act(id, 'ask', question);
    await waitArmed(system, id, robot);
    await robot.tap(...left);
    assert.equal((await call).body.outcome, 'answered');
    const { body: state } = await wrong.get(`/v1/robots/${id}`);
    const nowMs = system.store.clock.now();
    assert.ok(Math.abs(Date.parse(state.events[0].at) - nowMs) < 20_000, state.events[0].at);
    assert.ok(Math.abs(Date.parse(state.readings_at) - nowMs) < 10_000, state.readings_at);
    const began = performance.now();
    const burst = await Promise.all(Array.from({ length: 60 }, (_, i) => tenant.api(i).act(id, 'face', { emotion: 'happy' })));
    const passed = burst.filter(({ status }) => status === 200).length;
    assert.ok(passed <= 30 + Math.ceil((performance.now() - began) / 100), `${passed} of one bucket passed`);
    assert.ok(
      burst.every(({ status }) => status === 200 || status === 429 || status === 503),
      'full is all that goes wrong',
    );
  });
});
