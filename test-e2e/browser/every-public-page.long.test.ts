import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { startMailingGateway } from './fixture/mailing-gateway.js';
import { faultsOf, ways } from './fixture/page-faults.js';
import { emptyPages, mailPages, signedOutPages, unverifiedPage } from './fixture/page-list.js';

onBrowserSystem('every public page', ({ system, visit }) => {
  it('every page of a stranger passes axe and scrolls in one direction only, on a desktop in light and on a phone in dark', async function () {
    this.timeout(400_000);
    const user = await visit();
    const problems: string[] = [];
    for (const place of signedOutPages) problems.push(...(await faultsOf(user, place, ways)));
    assert.deepEqual(problems, []);
  });

  it('every page of a Perch that sends e-mail, and of an account that has nothing yet, passes axe and scrolls in one direction only, on a desktop in light and on a phone in dark', async function () {
    this.timeout(400_000);
    const mailing = await startMailingGateway(system());
    try {
      const [user, owner] = [await visit({}, mailing.base), await visit({}, mailing.base)];
      await owner.signUp();
      const problems: string[] = [];
      for (const place of mailPages) problems.push(...(await faultsOf(user, place, ways)));
      for (const place of [unverifiedPage, ...emptyPages]) problems.push(...(await faultsOf(owner, place, ways)));
      assert.deepEqual(problems, []);
    } finally {
      await mailing.stop();
    }
  });

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
    const user = await visit({ own: true });
    const stranger = await bytesOf(user.page, '/', (page) => page.getByRole('button', { name: 'Sign in' }).waitFor());
    const other = await visit({ own: true });
    await other.signUp();
    const signedIn = await bytesOf(other.page, '/', (page) => page.getByRole('button', { name: 'Add a virtual robot' }).waitFor());
    for (const bytes of [stranger, signedIn]) assert.ok(bytes > 10_000 && bytes < 250_000, `${stranger} and ${signedIn} bytes`);
  });
});

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
