import assert from 'node:assert/strict';
import { callMessage, post } from '../fixture/clients/mcp.js';
import { questionShown } from '../fixture/robots/question.js';
import { SystemUnderTest, shapes } from '../fixture/system/system-under-test.js';

describe('mcp on a draining gateway', () => {
  it('a tool call that waits on a draining gateway ends as a failure that says to call again, and a new one gets 503 as over HTTP', async () => {
    const system = await SystemUnderTest.open(shapes[0]!, { drainMs: 1_500 });
    try {
      const tenant = await system.tenant();
      const { robot } = await tenant.robot();
      const held = post(system.gateway(), tenant.key, callMessage('robot_ask', { question: 'Q', answers: ['a', 'b'], timeout_s: 60 }));
      await questionShown(robot);
      const stopping = system.cluster.gateways[0]!.stop();
      const { text, status } = await held;
      assert.equal(status, 200);
      assert.match(text, /"isError":true/);
      assert.match(text, /draining.*another instance/s);
      await stopping;
    } finally {
      await system.close();
    }
  });
});
