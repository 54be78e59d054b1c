import assert from 'node:assert/strict';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { setUpSampleAccount, signedInPages, signedOutPages } from './fixture/page-list.js';

/** Of Core Web Vitals' good 0.1, half. */
const shiftMax = 0.05;

onBrowserSystem('the layout of the web page', ({ system, visit }) => {
  for (const [width, height] of [
    [1280, 800],
    [360, 740],
  ] as const) {
    it(`no page moves what it shows already while the rest of it loads, ${width} pixels wide`, async function () {
      this.timeout(400_000);
      const user = await visit({ width, height });
      const { page } = user;
      await page.addInitScript(observeShifts);
      const moved: string[] = [];
      const pages = [...signedOutPages, ...signedInPages(await setUpSampleAccount(user, system()))];
      for (const { name, path, shown } of pages) {
        await page.goto(path);
        await shown(page);
        await page.evaluate('document.fonts.ready');
        await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
        const { sum, parts } = (await page.evaluate('shifts')) as { sum: number; parts: string[] };
        if (sum >= shiftMax) moved.push(`${name} by ${sum.toFixed(3)}: ${parts.join(', ')}`);
      }
      assert.deepEqual(moved, []);
    });
  }
});

/** Adds up the layout shifts of a page that no input caused. A string, because Node has no types of the page. */
const observeShifts = `{
  globalThis.shifts = { sum: 0, parts: [] };
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      shifts.sum += value;
      shifts.parts.push(...sources.map(({ node }) => value.toFixed(3) + ' ' + (node instanceof Element ? node.localName + '.' + node.className : node?.nodeName)));
    }
  }).observe({ type: 'layout-shift', buffered: true });
}`;
