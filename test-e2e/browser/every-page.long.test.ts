import assert from 'node:assert/strict';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { faultsOf, ways } from './fixture/page-faults.js';
import { signedInPages } from './fixture/page-list.js';
import { setUpSampleAccount } from './fixture/sample-account.js';

onBrowserSystem('every page of an account', ({ system, visit }) => {
  it('every page of an account passes axe and scrolls in one direction only, on a desktop in light and on a phone in dark', async function () {
    this.timeout(400_000);
    const user = await visit();
    const problems: string[] = [];
    for (const place of signedInPages(await setUpSampleAccount(user, system()))) problems.push(...(await faultsOf(user, place, ways)));
    assert.deepEqual(problems, []);
  });
});
