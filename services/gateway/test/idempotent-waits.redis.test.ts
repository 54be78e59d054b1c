import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { openCallCheckMs } from '../src/calls/key-validity.js';
import type { Answer } from './gateway-under-test.js';
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

  it('takes the question away at once when its client removes it at another gateway, also where the removal arrives before the call; the key can be used again', async () => {
    const remove = (apiKey = owner.apiKey, key = calls.key): Promise<Answer> =>
      other.ask('DELETE', `/v1/robots/${owner.robot}/wait`, { apiKey, headers: { 'idempotency-key': key } });
    await disconnect();
    assert.deepEqual((await remove()).body, { ok: true });
    await until(() => system.link.waitEnds.length === 1, { what: 'its end' });
    await until(async () => (await system.store.calls.read(owner.robot, await calls.callName())) === null, { what: 'the record to be deleted' });
    assert.equal((await remove()).status, 404);
    // The removal arrives before the call, as it may behind a balancer.
    const removed = remove();
    const call = act('ask', coffee);
    assert.deepEqual((await removed).body, { ok: true });
    assert.equal((await call).body.code, 'outcome_unknown');
    const again = act('ask', coffee, { at: other });
    await waitReceived(3);
    const stranger = await system.store.apiKeys.create({ account: owner.account });
    assert.equal((await remove(stranger.apiKey)).status, 404, 'another key of the account');
    await system.link.settle(owner.robot, system.link.waits[2]!, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await again).body.answer, 'Yes');
    const { status, body } = await remove(owner.apiKey, '');
    assert.deepEqual([status, body.field], [400, 'Idempotency-Key']);
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
    const acts = [act('ask', coffee)];
    await waitReceived();
    // Each gateway checks the keys of its open calls by a timer of its own: that of the first one comes first.
    await new Promise((resolve) => setTimeout(resolve, openCallCheckMs / 2));
    acts.push(act('ask', coffee, { at: other }));
    await new Promise((resolve) => setTimeout(resolve, openCallCheckMs / 10));
    await system.store.apiKeys.revoke(owner.account, owner.keyId);
    for (const { status } of await Promise.all(acts)) assert.equal(status, 401);
    assert.equal(system.link.waits.length, 1, 'no request shows the question again before its gateway has noticed');
  });
});
