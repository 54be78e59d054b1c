import assert from 'node:assert/strict';
import { createLogger, openTracing, type Tracing } from '@perch/runtime';
import { GatewayUnderTest } from './gateway-under-test.js';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const carried = /^0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}$/;

/** Endpoint for traces; no server listens there. */
async function tracingOf(requestedPerS: number): Promise<Tracing | null> {
  const config = { tracesEndpoint: 'http://127.0.0.1:9', tracesSample: 0, tracesHeaders: null };
  const log = createLogger({ level: 'silent', service: 'gateway', instance: 'gw-test' });
  return openTracing({ config, requestedPerS, service: 'gateway', instance: 'gw-test', log });
}

describe('the trace context in messages of the gateway', () => {
  async function sent(tracing: Tracing | null): Promise<(string | undefined)[]> {
    const system = await GatewayUnderTest.start({ tracing });
    try {
      const owner = await system.ownerOnline();
      system.link.onWait = async (record, robot) => void (await system.link.settle(robot, record, { outcome: 'timed_out' }));
      const act = (action: string, body: object) =>
        system.ask('POST', `/v1/robots/${owner.robot}/${action}`, { apiKey: owner.apiKey, body, headers: { traceparent } });
      assert.equal((await act('show', { text: `shown ${Math.random()}` })).status, 200);
      assert.equal((await act('ask', { question: 'Yes?', answers: ['Yes', 'No'], timeout_s: 5 })).status, 200);
      const jobs = system.drawn as { trace?: string }[];
      assert.deepEqual([system.link.commands.length, system.link.waits.length, jobs.length], [1, 1, 2]);
      return [system.link.commands[0]!.trace, system.link.waits[0]!.trace, ...jobs.map(({ trace }) => trace)];
    } finally {
      await system.stop();
      await tracing?.close();
    }
  }

  it('messages have no trace context while traces are off, whatever the client sends', async () => {
    assert.deepEqual(await sent(null), [undefined, undefined, undefined, undefined]);
  });

  it('messages of a call that is not sampled have no trace context, although the client records it', async () => {
    assert.deepEqual(await sent(await tracingOf(0)), [undefined, undefined, undefined, undefined]);
  });

  it('appears in commands, waits and jobs of a sampled call, and continues the trace of the client', async () => {
    for (const trace of await sent(await tracingOf(100))) assert.match(trace ?? '', carried);
  });
});
