import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { coffee, outlivesMs, replayed, useKeyedCalls } from './keyed-calls.js';

describe('a wait with an Idempotency-Key', () => {
  const calls = useKeyedCalls();
  const { system, other, owner, act } = calls;

  const answer = (): Promise<boolean> => system.link.settle(owner.robot, system.link.waits[0]!, { outcome: 'answered', index: 1, x: 1, y: 1 });
  const waitReceived = (count = 1): Promise<unknown> => until(() => system.link.waits.length >= count, { what: `wait ${count}` });
  const disconnect = async (at = system): Promise<void> => {
    const abort = new AbortController();
    const call = act('ask', coffee, { signal: abort.signal, at });
    await waitReceived();
    abort.abort();
    await assert.rejects(call);
  };

  it('joins requests that arrive while the wait is open: it is drawn once and all get its answer', async () => {
    const acts = [act('ask', coffee), act('ask', coffee, { at: other })];
    await waitReceived();
    acts.push(act('ask', coffee, { at: other }), act('ask', coffee));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await answer();
    for (const { status, body } of await Promise.all(acts)) assert.deepEqual([status, body.answer, body.index], [200, 'No', 1]);
    const late = await act('ask', coffee, { at: other });
    assert.deepEqual([late.body.answer, replayed(late)], ['No', true]);
    assert.equal(system.link.waits.length, 1);
  });

  it('continues the wait after its client disconnected, and answers the client at another gateway', async () => {
    await disconnect();
    const back = act('ask', coffee, { at: other });
    // Longer than the call would continue without a client.
    await new Promise((resolve) => setTimeout(resolve, outlivesMs * 2));
    assert.deepEqual(system.link.waitEnds, []);
    await answer();
    const { body, ...rest } = await back;
    assert.deepEqual([body.answer, replayed({ body, ...rest })], ['No', true]);
    assert.equal(system.link.waits.length, 1);
  });

  it('stores the answer given while no client waited, and returns it to a client that reconnects', async () => {
    await disconnect();
    await answer();
    const { body } = await act('ask', coffee, { at: other });
    assert.deepEqual([body.answer, system.link.waits.length], ['No', 1]);
  });

  it('cancels the wait when no client comes back, so that the key can be used again', async () => {
    await disconnect();
    await until(() => system.link.waitEnds.length === 1, { what: 'its end' });
    system.link.onWait = (wait) => void system.link.settle(owner.robot, wait, { outcome: 'answered', index: 0, x: 1, y: 1 });
    const { body } = await act('ask', coffee, { at: other });
    assert.deepEqual([body.answer, system.link.waits.length], ['Yes', 2]);
  });

  it('replays that a newer wait replaced it', async () => {
    const first = act('ask', coffee);
    await waitReceived();
    const newer = system.act(owner, 'ask', { ...coffee, timeout_s: 0.2 });
    assert.equal((await first).body.outcome, 'replaced');
    await newer;
    assert.equal((await act('ask', coffee, { at: other })).body.outcome, 'replaced');
    assert.equal(system.link.waits.length, 2);
  });

  it('ends all requests of a revoked API key that wait for the call', async () => {
    const acts = [act('ask', coffee), act('ask', coffee, { at: other })];
    await waitReceived();
    await system.store.apiKeys.revoke(owner.account, owner.keyId);
    for (const { status } of await Promise.all(acts)) assert.equal(status, 401);
    assert.equal(system.link.waits.length, 1);
  });
});
