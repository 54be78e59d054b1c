import assert from 'node:assert/strict';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { faultsOf, ways } from './fixture/page-faults.js';
import { overlayPages } from './fixture/page-list.js';
import { setUpSampleAccount } from './fixture/sample-account.js';

onBrowserSystem('every dialog', ({ system, visit }) => {
  for (const way of ways) {
    it(`every dialog, menu and form error passes axe: ${way.width} pixels wide, ${way.colorScheme}`, async function () {
      this.timeout(240_000);
      const user = await visit(way);
      const problems: string[] = [];
      for (const place of overlayPages(await setUpSampleAccount(user, system()))) problems.push(...(await faultsOf(user, place, [way])));
      assert.deepEqual(problems, []);
    });
  }
});
