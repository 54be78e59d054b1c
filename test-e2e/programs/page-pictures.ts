/**
 * `npm run screenshots [-- FOLDER]`: saves every page of the built web page in both themes as NAME-THEME.png. Starts the services on its own Redis;
 * requires chromium.
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { closeBrowser, openBrowser } from '../browser/fixture/chromium.js';
import { setUpSampleAccount, signedInPages, signedOutPages, type ListedPage } from '../browser/fixture/page-list.js';
import { Visitor } from '../browser/fixture/visitor.js';
import { TestSystem } from '../fixture/system/test-system.js';

const themes = ['light', 'dark'] as const;
const docs: ListedPage = { name: 'docs', path: '/docs', shown: (page) => page.locator('#operations-waits-ask').waitFor() };

const folder = resolve(process.env['INIT_CWD'] ?? '.', process.argv[2] ?? '.perch/screenshots');
await mkdir(folder, { recursive: true });
const system = await TestSystem.open({ gateways: 1, links: 1, renderers: 1, env: { PERCH_TRUST_PROXY: '1' } });
try {
  for (const theme of themes) {
    const visitor = await Visitor.open(await openBrowser(), system.gateway(), { theme, width: 1280, height: 900, scale: 2 });
    for (const place of [...signedOutPages, docs]) await picture(visitor, place, theme);
    const places = signedInPages(await setUpSampleAccount(visitor, system));
    for (const place of places) await picture(visitor, place, theme);
    await visitor.close();
    await system.clear();
  }
} finally {
  await closeBrowser();
  await system.close();
}
process.stdout.write(`${folder}\n`);
process.exit();

async function picture(visitor: Visitor, { name, path, shown }: ListedPage, theme: string): Promise<void> {
  const { page } = visitor;
  await page.goto(path);
  await shown(page);
  // The illustration beside a form is loaded after the page.
  const illustration = page.locator('.robot-illustration');
  if ((await illustration.count()) > 0) await illustration.locator('svg').first().waitFor();
  await page.evaluate('document.fonts.ready');
  await page.screenshot({ path: join(folder, `${name}-${theme}.png`), animations: 'disabled' });
}
