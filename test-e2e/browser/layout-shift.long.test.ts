/** Layout shifts of each page until it is loaded, or until the first click that its entry in the list of pages makes. */
import assert from 'node:assert/strict';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { signedInPages, signedOutPages, type ListedPage } from './fixture/page-list.js';
import { setUpSampleAccount } from './fixture/sample-account.js';

/** Half of what Core Web Vitals calls good. */
const shiftMax = 0.05;

onBrowserSystem('the layout of the web page', ({ system, visit }) => {
  for (const [width, height] of [
    [1280, 800],
    [360, 740],
  ] as const) {
    it(`no page moves what it shows already while the rest of it loads, ${width} pixels wide`, async function () {
      this.timeout(400_000);
      const user = await visit({ width, height, own: true });
      const { page } = user;
      // The test measures no time: on a busy machine, where a page gets a thirtieth of a processor, it takes 20 s to load.
      page.setDefaultTimeout(60_000);
      await page.addInitScript(observeShifts);
      const moved: string[] = [];
      const measure = async ({ name, path, shown }: ListedPage): Promise<void> => {
        await page.goto(path);
        await shown(page);
        // Not by waitForFunction of a string: its second try is an eval, which the page's content policy forbids.
        await page.locator('.loading').first().waitFor({ state: 'detached' });
        await page.evaluate('document.fonts.ready');
        // The entries of a frame are there once the next one is drawn.
        await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
        const { sum, parts } = (await page.evaluate('shifts()')) as { sum: number; parts: string[] };
        if (sum >= shiftMax) moved.push(`${name} by ${sum.toFixed(3)}: ${parts.join(', ')}`);
      };
      for (const place of signedOutPages) await measure(place);
      for (const place of signedInPages(await setUpSampleAccount(user, system()))) await measure(place);
      assert.deepEqual(moved, []);
    });
  }

  it('finds the shift of a page that moves its contents', async () => {
    const { page } = await visit({ width: 1280, height: 800, own: true });
    await page.addInitScript(observeShifts);
    const [signIn] = signedOutPages;
    await page.goto(signIn!.path);
    await signIn!.shown(page);
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    await page.evaluate('void (document.body.style.paddingTop = "300px")');
    await page.waitForFunction((max) => (globalThis as unknown as { shifts: () => { sum: number } }).shifts().sum >= max, shiftMax);
  });
});

/** Adds up the layout shifts of a page before its first input. A string, because Node has no types of the page. */
const observeShifts = `{
  const found = { sum: 0, parts: [] };
  const take = (entries) => {
    for (const { value, sources } of entries) {
      found.sum += value;
      found.parts.push(...sources.map(({ node }) => value.toFixed(3) + ' ' + (node instanceof Element ? node.localName + '.' + node.getAttribute('class') : node?.nodeName)));
    }
  };
  const observer = new PerformanceObserver((list) => take(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  const stop = () => {
    take(observer.takeRecords());
    observer.disconnect();
  };
  for (const input of ['pointerdown', 'keydown']) addEventListener(input, stop, { capture: true, once: true });
  globalThis.shifts = () => {
    take(observer.takeRecords());
    return found;
  };
}`;
