import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { openWait, question } from './open-wait.js';
import { useGateway, useOwner } from './gateway-under-test.js';

describe('the end of waits that are not shown', () => {
  const system = useGateway();
  const owner = useOwner(system);

  const opened = (action: string, args: unknown, signal?: AbortSignal): ReturnType<typeof openWait> => openWait(system, owner, action, args, signal);

  it('answers at most 14 s after the timeout, however long drawing and showing take', async () => {
    const other = await system.ownerOnline();
    let draw = (): void => undefined;
    const answered = new Promise<void>((resolve) => (draw = resolve));
    system.beforeDrawn = ({ account }) => (account === other.account ? answered : new Promise((resolve) => setTimeout(resolve, 9000)));
    system.link.arms = false;
    const began = performance.now();
    const [unshown, undrawn] = await Promise.all([
      system.act(owner, 'ask', { ...question, timeout_s: 0.1 }),
      system.act(other, 'ask', { ...question, timeout_s: 0.1 }),
    ]);
    draw();
    assert.ok(performance.now() - began < 15_500, 'drawn late, never shown');
    assert.deepEqual([unshown.status, unshown.body.code], [503, 'no_ack']);
    assert.deepEqual([undrawn.status, undrawn.body.code], [503, 'render_failed']);
    assert.equal(new Set(system.link.waits.map(({ call }) => call)).size, 1, 'what was not drawn was not opened');
  });

  it('ends a wait that was not armed within 10 s with 503 no_ack', async () => {
    system.link.arms = false;
    const before = performance.now();
    const { answer, record } = await opened('ask', question);
    const { status, body } = await answer;
    assert.deepEqual([status, body.code], [503, 'no_ack']);
    const tookMs = performance.now() - before;
    assert.ok(tookMs > 9500, `${tookMs} ms`);
    await until(() => system.link.waitEnds.includes(record.number));
  });
});
