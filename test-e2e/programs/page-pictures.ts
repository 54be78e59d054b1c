/**
 * `npm run screenshots [-- FOLDER]`: saves every page of the built web page in both themes as NAME-THEME.png. Starts the services on its own Redis;
 * requires chromium.
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { closeBrowser, openBrowser } from '../browser/fixture/chromium.js';
import { furnish, inside, outside, type Place } from '../browser/fixture/tour.js';
import { Visitor } from '../browser/fixture/visitor.js';
import { Stage } from '../fixture/system/stage.js';

const themes = ['light', 'dark'] as const;
const docs: Place = { name: 'docs', path: '/docs', shown: (page) => page.locator('#operations-waits-ask').waitFor() };

const folder = resolve(process.env['INIT_CWD'] ?? '.', process.argv[2] ?? '.perch/screenshots');
await mkdir(folder, { recursive: true });
const stage = await Stage.open({ gateways: 1, links: 1, renderers: 1, env: { PERCH_TRUST_PROXY: '1' } });
try {
  for (const theme of themes) {
    const visitor = await Visitor.open(await openBrowser(), stage.gateway(), { theme, width: 1280, height: 900, scale: 2 });
    for (const place of [...outside, docs]) await picture(visitor, place, theme);
    const places = inside(await furnish(visitor, stage));
    for (const place of places) await picture(visitor, place, theme);
    await visitor.close();
    await stage.clear();
  }
} finally {
  await closeBrowser();
  await stage.close();
}
process.stdout.write(`${folder}\n`);
process.exit();

async function picture(visitor: Visitor, { name, path, shown }: Place, theme: string): Promise<void> {
  const { page } = visitor;
  await page.goto(path);
  await shown(page);
  await page.evaluate('document.fonts.ready');
  await page.screenshot({ path: join(folder, `${name}-${theme}.png`), animations: 'disabled' });
}
