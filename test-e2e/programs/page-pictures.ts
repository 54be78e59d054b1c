/**
 * `npm run screenshots [-- [--whole] [--pages NAMES] FOLDER]`: saves every page of the built web page in both themes as NAME-THEME.png; with `--whole` to its end, with every
 * dialog, menu and form error, on a desktop and on a phone, as NAME-THEME-SIZE.png. `--pages robot,docs` saves only these. Starts the services on its own Redis; requires chromium.
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { closeBrowser, openBrowser } from '../browser/fixture/chromium.js';
import { startMailingGateway } from '../browser/fixture/mailing-gateway.js';
import { emptyPages, mailPages, overlayPages, signedInPages, signedOutPages, unverifiedPage, type ListedPage } from '../browser/fixture/page-list.js';
import { setUpSampleAccount } from '../browser/fixture/sample-account.js';
import { BrowserUser } from '../browser/fixture/browser-user.js';
import { makeFleet } from '../fixture/robots/fleet.js';
import { SystemUnderTest } from '../fixture/system/system-under-test.js';

const themes = ['light', 'dark'] as const;
const docs: ListedPage = {
  name: 'docs',
  path: '/docs',
  shown: async (page) => {
    await page.locator('#operations-waits-ask > summary').click();
    await page.locator('#operations-waits-ask .docs-response').first().waitFor();
  },
};
const manyRobots: ListedPage = { name: 'many-robots', path: '/robots', shown: (page) => page.locator('.robot-row').nth(29).waitFor() };

const { values, positionals } = parseArgs({
  options: { whole: { type: 'boolean', default: false }, pages: { type: 'string' }, help: { type: 'boolean', default: false } },
  allowPositionals: true,
});
if (values.help) {
  process.stdout.write(`npm run screenshots -- [--whole] [--pages NAMES] [FOLDER]
Saves pictures of all pages in both themes to FOLDER (default: .perch/screenshots).
  --whole        to the end of each page, with dialogs, menus and form errors, on a desktop and on a phone
  --pages NAMES  only these, with commas between: robot,docs,a-region-editor; the names are those of the saved files
`);
  process.exit();
}
const chosen = values.pages?.split(',');
const sizes = values.whole
  ? [
      { name: '-desktop', width: 1280, height: 800, scale: 1 },
      { name: '-phone', width: 360, height: 740, scale: 1 },
    ]
  : [{ name: '', width: 1280, height: 900, scale: 2 }];
const folder = resolve(process.env['INIT_CWD'] ?? '.', positionals[0] ?? '.perch/screenshots');
await mkdir(folder, { recursive: true });
const system = await SystemUnderTest.open({ gateways: 1, links: 1, renderers: 1, env: { PERCH_TRUST_PROXY: '1' } });
const mailing = await startMailingGateway(system);
try {
  for (const theme of themes) {
    for (const size of sizes) {
      const user = await BrowserUser.open(await openBrowser(), system.gateway(), { theme, ...size });
      const name = `${theme}${size.name}`;
      for (const place of [...signedOutPages, docs]) await picture(user, place, name);
      const account = await setUpSampleAccount(user, system);
      const overlays = values.whole ? overlayPages(account) : [];
      for (const place of [...signedInPages(account), ...overlays]) await picture(user, place, name);
      await user.close();
      const mailed = await BrowserUser.open(await openBrowser(), mailing.base, { theme, ...size });
      for (const place of mailPages) await picture(mailed, place, name);
      await mailed.signUp();
      for (const place of [unverifiedPage, ...emptyPages]) await picture(mailed, place, name);
      const { account: owner } = await mailed.call('GET', '/console/session');
      await makeFleet(system.store, owner.id, 30, { connected: 0, name: (i) => `Robot ${i + 1} of the fleet` });
      await picture(mailed, manyRobots, name);
      await mailed.close();
      await system.clear();
    }
  }
} finally {
  await closeBrowser();
  await mailing.stop();
  await system.close();
}
process.stdout.write(`${folder}\n`);
process.exit();

async function picture(user: BrowserUser, { name, path, shown }: ListedPage, ending: string): Promise<void> {
  const fileName = name.replace(/\W+/g, '-');
  if (chosen !== undefined && !chosen.includes(fileName)) return;
  const { page } = user;
  await page.goto(path);
  await shown(page);
  // The illustration beside a form is loaded after the page.
  const illustration = page.locator('.robot-illustration');
  if ((await illustration.count()) > 0) await illustration.locator('svg').first().waitFor();
  await page.evaluate('document.fonts.ready');
  // Where a click has scrolled the page, what stays at the top of the window would be in the middle of the picture.
  await page.evaluate('scrollTo(0, 0)');
  const size = page.viewportSize()!;
  const isCovered = (await page.locator('.dialog-overlay').count()) > 0;
  // The bar at the bottom of a phone's window would cover a part of the page.
  if (values.whole && size.width < 640 && !isCovered)
    await page.setViewportSize({ ...size, height: (await page.evaluate('document.documentElement.scrollHeight')) as number });
  await page.screenshot({ path: join(folder, `${fileName}-${ending}.png`), animations: 'disabled', fullPage: values.whole });
  await page.setViewportSize(size);
}
