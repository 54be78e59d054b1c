import assert from 'node:assert/strict';
import { createLogger, openTracing, type Tracing } from '@perch/runtime';
import { Bench } from './bench.js';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const carried = /^0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}$/;

/** Traces go nowhere: nothing listens there. */
async function tracingOf(requestedPerS: number): Promise<Tracing | null> {
  const config = { tracesEndpoint: 'http://127.0.0.1:9', tracesSample: 0, tracesHeaders: null };
  const log = createLogger({ level: 'silent', service: 'gateway', instance: 'gw-test' });
  return openTracing({ config, requestedPerS, service: 'gateway', instance: 'gw-test', log });
}

describe('the trace of a call in what the gateway sends', () => {
  /** What stands in the commands, waits and jobs of a show and an ask. */
  async function sent(tracing: Tracing | null): Promise<(string | undefined)[]> {
    const bench = await Bench.start({ tracing });
    try {
      const owner = await bench.ownerOnline();
      bench.link.onWait = async (record, robot) => void (await bench.link.settle(robot, record, { outcome: 'timed_out' }));
      const act = (action: string, body: object) =>
        bench.ask('POST', `/v1/robots/${owner.robot}/${action}`, { apiKey: owner.apiKey, body, headers: { traceparent } });
      assert.equal((await act('show', { text: `shown ${Math.random()}` })).status, 200);
      assert.equal((await act('ask', { question: 'Yes?', answers: ['Yes', 'No'], timeout_s: 5 })).status, 200);
      const jobs = bench.drawn as { trace?: string }[];
      assert.deepEqual([bench.link.commands.length, bench.link.waits.length, jobs.length], [1, 1, 2]);
      return [bench.link.commands[0]!.trace, bench.link.waits[0]!.trace, ...jobs.map(({ trace }) => trace)];
    } finally {
      await bench.stop();
      await tracing?.close();
    }
  }

  it('is absent while traces are off, whatever the caller sends', async () => {
    assert.deepEqual(await sent(null), [undefined, undefined, undefined, undefined]);
  });

  it('is absent in a call that is not sampled, although its caller records it', async () => {
    assert.deepEqual(await sent(await tracingOf(0)), [undefined, undefined, undefined, undefined]);
  });

  it('is in commands, waits and jobs of a call that is sampled, and continues the trace of its caller', async () => {
    for (const trace of await sent(await tracingOf(100))) assert.match(trace ?? '', carried);
  });
});
