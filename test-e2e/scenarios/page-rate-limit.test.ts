import assert from 'node:assert/strict';
import { PageSession } from '../fixture/clients/page-session.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';

onSharedSystems('the rate limit of the web page', (system) => {
  it('is one of the account: six browsers on two gateways act no more often than one, and its API keys are not held up', async () => {
    const tenant = await system().tenant();
    const { id } = await tenant.robot({ instant: true });
    const pages = await Promise.all(Array.from({ length: 6 }, () => PageSession.begin(system(), tenant.account)));
    const gateways = [0, 1] as const;
    const began = performance.now();
    const answers = await Promise.all(
      pages.flatMap((page, i) => Array.from({ length: 30 }, () => page.ask('POST', `v1/robots/${id}/state`, {}, gateways[i % 2]))),
    );
    const tookS = (performance.now() - began) / 1000;
    const admitted = answers.filter(({ status }) => status === 200).length;
    // 30 at once, and 10 a second while the machine makes the calls.
    assert.ok(admitted >= 24 && admitted <= 31 + 10 * tookS, `${admitted} of 180 in ${tookS} s`);

    while ((await system().store.sessions.take(tenant.account, 10_000)).retryAfterS > 0) await new Promise((resolve) => setTimeout(resolve, 100));
    for (const [i, page] of pages.entries()) {
      const { status, body, headers } = await page.ask('POST', `v1/robots/${id}/face`, { emotion: 'happy' }, gateways[i % 2]);
      assert.deepEqual([status, body.code], [429, 'rate_limited']);
      assert.ok(Number(headers.get('retry-after')) > 900, headers.get('retry-after')!);
      assert.equal((await page.ask('GET', 'robots', undefined, gateways[i % 2])).status, 200, 'the page itself works on');
    }
    for (const gateway of gateways) assert.equal((await tenant.api(gateway).act(id, 'state')).status, 200);
  });
});
