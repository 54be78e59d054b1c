import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { startMailingGateway } from './fixture/mailing-gateway.js';
import { mailPages, setUpSampleAccount, signedInPages, overlayPages, signedOutPages, unverifiedPage, type ListedPage } from './fixture/page-list.js';
import type { BrowserUser } from './fixture/browser-user.js';

interface Way {
  width: number;
  colorScheme: 'light' | 'dark';
}

/** 320 px is a 1280 px desktop page at 400 % zoom (WCAG 1.4.10). */
const ways: readonly Way[] = [
  { width: 1280, colorScheme: 'light' },
  { width: 320, colorScheme: 'dark' },
];

onBrowserSystem('every page', ({ system, visit }) => {
  for (const { whose, places } of [
    { whose: 'a stranger', places: async () => signedOutPages },
    { whose: 'an account', places: async (user: BrowserUser) => signedInPages(await setUpSampleAccount(user, system())) },
  ]) {
    it(`every page of ${whose} passes axe and scrolls in one direction only, on a desktop in light and on a phone in dark`, async function () {
      this.timeout(400_000);
      const user = await visit();
      const problems: string[] = [];
      for (const place of await places(user)) problems.push(...(await faultsOf(user, place, ways)));
      assert.deepEqual(problems, []);
    });
  }

  it('every page of a Perch that sends e-mail passes axe and scrolls in one direction only, on a desktop in light and on a phone in dark', async function () {
    this.timeout(400_000);
    const mailing = await startMailingGateway(system());
    try {
      const [user, owner] = [await visit({}, mailing.base), await visit({}, mailing.base)];
      await owner.signUp();
      const problems: string[] = [];
      for (const place of mailPages) problems.push(...(await faultsOf(user, place, ways)));
      problems.push(...(await faultsOf(owner, unverifiedPage, ways)));
      assert.deepEqual(problems, []);
    } finally {
      await mailing.stop();
    }
  });

  for (const way of ways) {
    it(`every dialog, menu and form error passes axe: ${way.width} pixels wide, ${way.colorScheme}`, async function () {
      this.timeout(240_000);
      const user = await visit(way);
      const problems: string[] = [];
      for (const place of overlayPages(await setUpSampleAccount(user, system()))) problems.push(...(await faultsOf(user, place, [way])));
      assert.deepEqual(problems, []);
    });
  }

  it('the page can be installed: its manifest and icons are there', async () => {
    const { page, base } = await visit();
    await page.goto('/sign-in');
    const href = await page.locator('link[rel=manifest]').getAttribute('href');
    const manifest = await fetch(base + href);
    assert.equal(manifest.headers.get('content-type'), 'application/manifest+json');
    const { icons, start_url: start } = (await manifest.json()) as { icons: { src: string; sizes: string }[]; start_url: string };
    assert.equal((await fetch(base + start)).status, 200);
    for (const { src, sizes } of icons) {
      const png = Buffer.from(await (await fetch(base + src)).arrayBuffer());
      assert.equal(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`, sizes, src);
    }
    for (const path of ['/favicon.ico', '/apple-touch-icon.png']) assert.equal((await fetch(base + path)).status, 200, path);
    const session = await page.context().newCDPSession(page);
    const { errors } = await session.send('Page.getAppManifest');
    assert.deepEqual(errors, []);
  });

  it('the first load takes less than 250 KB, signed in or not', async () => {
    const user = await visit();
    const stranger = await bytesOf(user.page, '/', (page) => page.getByRole('button', { name: 'Sign in' }).waitFor());
    const other = await visit();
    await other.signUp();
    const signedIn = await bytesOf(other.page, '/', (page) => page.getByRole('button', { name: 'Add a virtual robot' }).waitFor());
    for (const bytes of [stranger, signedIn]) assert.ok(bytes > 10_000 && bytes < 250_000, `${stranger} and ${signedIn} bytes`);
  });
});

/** @param over the sizes and themes to check, one after the other without reloading the page */
async function faultsOf(user: BrowserUser, { name, path, shown }: ListedPage, over: readonly Way[]): Promise<string[]> {
  const { page } = user;
  const faults: string[] = [];
  await page.goto(path);
  await shown(page);
  await page.evaluate('document.fonts.ready');
  for (const { width, colorScheme } of over) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    faults.push(...((await page.evaluate(tooWide)) as string[]).map((found) => `${name}, ${width} pixels: ${found}`));
    await page.evaluate(spaceText);
    faults.push(...((await page.evaluate(tooWide)) as string[]).map((found) => `${name}, ${width} pixels, spaced text: ${found}`));
    await page.evaluate(unspaceText);
    faults.push(...(await user.axe()).map((found) => `${name}, ${width} pixels, ${colorScheme}: ${found}`));
  }
  return faults;
}

/** Returns the bytes received until the page and its fonts are shown: headers and compressed bodies. */
async function bytesOf(page: Page, path: string, shown: (page: Page) => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await session.send('Network.enable');
  await page.goto(path);
  await shown(page);
  await page.evaluate('document.fonts.ready');
  return bytes;
}

/** Returns the elements that make the page or an overlay scroll sideways. A string, because Node has no types of the page. */
const tooWide = `[document.documentElement, ...document.querySelectorAll('.dialog-overlay')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map((box) => {
    const right = (element) => element.getBoundingClientRect().right;
    const widest = [...box.querySelectorAll('*')].reduce((one, other) => (right(other) > right(one) ? other : one), box);
    return box.scrollWidth + ' pixels wide by <' + widest.localName + ' class="' + widest.className + '">' + widest.textContent.slice(0, 40);
  })`;

/** Letters and words as far apart as WCAG 1.4.12 asks, as with wider fonts. The policy allows a sheet that a script constructs. */
const spaceText = `(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important; line-height: 1.5 !important }');
  document.adoptedStyleSheets.push(sheet);
})()`;
const unspaceText = `void document.adoptedStyleSheets.pop()`;
