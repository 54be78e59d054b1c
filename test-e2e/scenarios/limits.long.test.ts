import assert from 'node:assert/strict';
import type { Answer } from '../fixture/clients/api.js';
import type { Tenant } from '../fixture/system/system-under-test.js';
import { checkedApi, onSharedSystems } from '../fixture/system/shared-systems.js';

/** A bucket gains one action per this many ms of Redis time. */
const intervalMs = 100;
/** Allowed error between Redis time and this process's estimate of it, ms. */
const clockMs = 60;

onSharedSystems('limits', (system) => {
  const passed = (answers: Answer[]) => answers.filter(({ status }) => status === 200).length;
  const left = ({ headers }: Answer) => Number(/^"actions";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '')?.[1]);

  async function gatewaysOf(tenant: Tenant) {
    return [await checkedApi(tenant, 0), await checkedApi(tenant, 1)] as const;
  }

  it('exactly 30 of 100 calls at once on all gateways pass, plus one for each 100 ms of Redis time that passes meanwhile', async () => {
    const tenant = await system().tenant();
    const { id } = await tenant.robot();
    const gateways = await gatewaysOf(tenant);
    const { clock } = system().store;
    const from = clock.now();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => gateways[i % 2]!.act(id, 'events')));
    const tookMs = clock.now() - from;
    const most = 30 + Math.floor((tookMs + clockMs) / intervalMs);
    assert.ok(passed(answers) >= 30 && passed(answers) <= most, `${passed(answers)} of 100 passed, 30 to ${most} in ${tookMs} ms`);
    const refused = answers.filter(({ status }) => status !== 200);
    assert.ok(refused.every(({ status, body, headers }) => status === 429 && body.code === 'rate_limited' && headers.get('retry-after') === '1'));
  });

  it('continuous calls pass at 10 a second, and rejected calls cost nothing', async () => {
    const tenant = await system().tenant();
    const { id } = await tenant.robot();
    const gateways = await gatewaysOf(tenant);
    const { clock } = system().store;
    const from = clock.now();
    let passes = 0;
    const caller = async (i: number): Promise<void> => {
      while (clock.now() < from + 3000) if ((await gateways[i % 2]!.act(id, 'events')).status === 200) passes += 1;
    };
    await Promise.all(Array.from({ length: 12 }, (_, i) => caller(i)));
    const most = 30 + (clock.now() - from + clockMs) / intervalMs;
    // Each gained action is taken at once, as long as this machine calls: if rejected calls cost something, only the first 30 would pass.
    const least = 30 + 10;
    assert.ok(passes <= most && passes >= least, `${passes} passed, not ${least} to ${most}`);
  });

  it('every answer has the policy and what is left of it, which all gateways count together', async () => {
    const tenant = await system().tenant();
    const { id } = await tenant.robot();
    const gateways = await gatewaysOf(tenant);
    const calls: ((i: number) => Promise<Answer>)[] = [
      (i) => gateways[i]!.get('/v1/robots'),
      (i) => gateways[i]!.get(`/v1/robots/${id}`),
      (i) => gateways[i]!.get(`/v1/robots/${id}/events`),
      (i) => gateways[i]!.act(id, 'face', { emotion: 'sad' }),
      (i) => gateways[i]!.act(id, 'face', { emotion: 'furious' }),
      (i) => gateways[i]!.act(id, 'command', { command: 'no_such' }),
      (i) => gateways[i]!.send('PUT', `/v1/robots/${id}/face`, '{}'),
    ];
    const { clock } = system().store;
    const from = clock.now();
    for (const [i, call] of calls.entries()) {
      const answer = await call(i % 2);
      assert.equal(answer.headers.get('ratelimit-policy'), '"actions";q=30;w=3');
      const back = Math.ceil((clock.now() - from + clockMs) / intervalMs);
      const least = 30 - (i + 1);
      assert.ok(left(answer) >= least && left(answer) <= Math.min(29, least + back), `call ${i + 1} leaves ${left(answer)}`);
    }
  });

  it('unknown keys, unknown robots and the API documents cost nothing', async () => {
    const tenant = await system().tenant();
    const { id } = await tenant.robot();
    const other = await (await system().tenant()).robot();
    const [api, second] = await gatewaysOf(tenant);
    const free = Array.from({ length: 8 }, () => [
      api.act('r-0000000000', 'show', { text: 'x' }),
      second.act(other.id, 'show', { text: 'x' }),
      api.get('/v1/actions'),
      api.get('/v1/icons'),
      second.get('/v1/openapi.json'),
      api.get('/v1/nothing'),
      api.with(`pk_${'A'.repeat(43)}`).act(id, 'show', { text: 'x' }),
    ]).flat();
    assert.ok((await Promise.all(free)).every(({ status }) => status !== 429));
    assert.equal(left(await api.act(id, 'events')), 29);
  });

  it('the API documents and unknown robots are answered when the bucket is empty, and other keys of the account have their own buckets', async () => {
    const tenant = await system().tenant();
    const { id } = await tenant.robot();
    const [api, second] = await gatewaysOf(tenant);
    await Promise.all(Array.from({ length: 45 }, () => api.act(id, 'events')));
    const statuses = await Promise.all([api.get('/v1/actions'), second.get('/v1/openapi.json'), api.act('r-0000000000', 'face')]);
    assert.deepEqual(
      statuses.map(({ status }) => status),
      [200, 200, 404],
    );
    const { apiKey } = await system().store.apiKeys.create({ account: tenant.account });
    assert.equal(left(await second.with(apiKey).act(id, 'events')), 29);
  });

  it('a call after the time in Retry-After passes', async () => {
    const tenant = await system().tenant();
    const { id } = await tenant.robot();
    const [api] = await gatewaysOf(tenant);
    const answers = await Promise.all(Array.from({ length: 45 }, () => api.act(id, 'events')));
    const { headers } = answers.find(({ status }) => status === 429)!;
    await new Promise((resolve) => setTimeout(resolve, Number(headers.get('retry-after')) * 1000));
    assert.equal((await api.act(id, 'events')).status, 200);
  });
});
