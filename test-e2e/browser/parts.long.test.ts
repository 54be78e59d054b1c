/** The pages of settings: their width, and the list of links to their parts. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type { Page } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import type { BrowserUser } from './fixture/browser-user.js';

onBrowserSystem('pages of settings', ({ visit }) => {
  async function addresses(user: BrowserUser): Promise<string[]> {
    await user.signUp();
    const { robot } = await user.call('POST', '/console/robots', { virtual: true, name: 'Pip' });
    return ['/account', `/robots/${robot.id}/settings`];
  }

  it('use the width of a desktop with short lines, and each link leads to its part', async () => {
    const user = await visit({ width: 1280, height: 720 });
    const { page } = user;
    for (const address of await addresses(user)) {
      await page.goto(address);
      const links = page.getByRole('navigation', { name: 'On this page' }).getByRole('link');
      await links.first().waitFor();
      const [edge, cardEdge, widest] = (await page.evaluate(`[
        document.querySelector('.page-head').getBoundingClientRect().right,
        document.querySelector('.part').getBoundingClientRect().right,
        Math.max(...[...document.querySelectorAll('.part > *')].map((column) => column.getBoundingClientRect().width)) / 16,
      ]`)) as [number, number, number];
      assert.equal(cardEdge, edge, 'the cards end where the page ends');
      assert.ok(widest < 36, `a column is ${widest} rem wide`);
      for (const link of (await links.all()).toReversed()) {
        await link.click();
        await isInView(page, (await link.getAttribute('href'))!.slice(1));
      }
    }
    await page.goto('/llms.txt');
    await page.goto('/account#sessions');
    await isInView(page, 'sessions');
  });

  it('have one column and no list of links on a phone', async () => {
    const user = await visit({ width: 360, height: 740 });
    const { page } = user;
    for (const address of await addresses(user)) {
      await page.goto(address);
      await page.locator('.part').first().waitFor();
      assert.equal(await page.getByRole('navigation', { name: 'On this page' }).count(), 0);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
    }
  });
});

/** The head of the part lies between what stays at the top of the window and its bottom. */
async function isInView(page: Page, id: string): Promise<void> {
  const covered = await page.locator('.shell-head').boundingBox();
  await until(
    async () => {
      const box = await page.locator(`#${id} h2`).boundingBox();
      return box !== null && box.y >= covered!.y + covered!.height && box.y + box.height <= 720;
    },
    { what: `${id} in view` },
  );
}
