import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import type { BrowserUser } from './fixture/browser-user.js';

onBrowserSystem('the reference at /docs', ({ visit, system }) => {
  it('the API page shows every action without signing in, and axe finds nothing serious in either theme', async () => {
    const user = await opened();
    const paths = await user.page.locator('.docs-path').allInnerTexts();
    for (const action of ['show', 'say', 'face', 'move', 'leds', 'sound', 'ask', 'menu', 'clickmap', 'command', 'state', 'events', 'stop', 'scene']) {
      assert.ok(
        paths.some((text) => text.endsWith(`/${action}`)),
        `${action} in ${paths.join(' ')}`,
      );
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await user.page.emulateMedia({ colorScheme });
      assert.deepEqual(await user.axe(), [], colorScheme);
    }
  });

  it('the API page lists each operation and webhook of the document once, with its summary', async () => {
    const { page } = await opened();
    const { paths, webhooks } = (await (await fetch(`${system().gateway()}/openapi.json`)).json()) as Record<string, Record<string, object>>;
    const expected = Object.values({ ...paths, ...webhooks }).flatMap((item) =>
      Object.entries(item).flatMap(([method, operation]) => (method === 'parameters' ? [] : [(operation as { summary: string }).summary])),
    );
    const shown = await page.locator('.docs-summary').allTextContents();
    assert.deepEqual(shown.toSorted(), expected.map((summary) => summary.replaceAll('`', '')).toSorted());
  });

  it('each operation is a heading below that of its group, which screen readers find while it is closed', async () => {
    const { page } = await opened();
    const headings = page.getByRole('heading', { level: 3 });
    assert.equal(await headings.count(), await page.locator('.docs-operation').count());
    await page.getByRole('heading', { level: 3, name: 'POST /v1/robots/{robot}/menu Show tiles to choose from' }).waitFor();
    const read = await page.context().newCDPSession(page);
    const { nodes } = (await read.send('Accessibility.getFullAXTree')) as { nodes: { role?: { value: string }; name?: { value: string } }[] };
    const names = nodes.filter(({ role }) => role?.value === 'heading').map(({ name }) => name?.value ?? '');
    assert.ok(
      names.some((name) => name.startsWith('POST /v1/robots/{robot}/menu')),
      names.join('\n'),
    );
  });

  it('says which fields an object needs together, the limits of items and alternatives, and what headers look like', async () => {
    const { page } = await opened();
    const textOf = async (operation: string): Promise<string> => {
      const part = page.locator(`#operations-${operation}`);
      await part.locator('> summary').click();
      await part.locator('.docs-response').first().waitFor();
      await part.evaluate((element) => {
        for (const nested of element.querySelectorAll('details')) nested.open = true;
      });
      return (await part.textContent())!.replaceAll(/\s+/g, ' ');
    };
    const show = await textOf('screen-show');
    assert.ok(show.includes('At least one of text, title, note, icon'), show);
    const clickmap = await textOf('waits-clickmap');
    for (const part of ['Exactly 2 fields.', 'No other fields.']) assert.ok(clickmap.includes(part), `${part} in ${clickmap}`);
    const asked = (await ask(page).textContent())!;
    for (const part of ['4 items · each at least 1 character', 'Example: "actions";r=29;t=1']) assert.ok(asked.includes(part), `${part} in ${asked}`);
  });

  it('an operation shows its parameters, fields with limits, examples and responses', async () => {
    const { page } = await opened();
    const texts = (await ask(page).innerText()).replaceAll(/\s+/g, ' ');
    for (const part of [
      'Idempotency-Key string in header',
      'question string required at least 1 character Short',
      'overflow "cut" | "pages"',
      'above 0, at most 86400',
      '"question": "Coffee?"',
      '5 more examples',
      '200 Done.',
      '429',
    ]) {
      assert.ok(texts.includes(part), `${part} in ${texts}`);
    }
    await ask(page).locator('.docs-response', { hasText: '429' }).locator('summary').first().click();
    await ask(page).getByText('"code": "rate_limited"').first().waitFor();
  });

  it('the API page can be read by keyboard alone and fits a phone', async () => {
    const { page } = await opened();
    await page.setViewportSize({ width: 320, height: 640 });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
    await ask(page).locator('> summary').focus();
    await page.keyboard.press('Enter');
    await ask(page).locator('.docs-response').first().waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await ask(page).locator('.docs-response').first().waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
  });

  it('the API page shows its introduction first, and then all operations at once', async () => {
    const { page } = await visit();
    // At each frame: whether the introduction shows, and the number of operations.
    await page.addInitScript(`(() => {
      globalThis.frames = [];
      const look = () => {
        globalThis.frames.push([document.querySelectorAll('h1').length, document.querySelectorAll('.docs-operation').length].join(' '));
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    })()`);
    await page.goto('/docs');
    await page.locator('.docs-operation').first().waitFor();
    await page.evaluate('new Promise(requestAnimationFrame)');
    const whole = `1 ${await page.locator('.docs-operation').count()}`;
    const frames = [...new Set((await page.evaluate('frames')) as string[])];
    assert.deepEqual(
      frames.filter((frame) => frame !== '0 0' && frame !== '1 0'),
      [whole],
    );
  });

  it('what is in a closed operation is in the page, as a part of an element that the search of browsers opens', async () => {
    const { page } = await visit();
    await page.goto('/docs');
    const text = 'The request stays open until the tap';
    await page.locator('#operations-waits-ask', { hasText: text }).waitFor({ state: 'attached' });
    assert.equal(await ask(page).getAttribute('open'), null);
    assert.equal(await ask(page).evaluate((element) => element.tagName), 'DETAILS');
  });

  it('says where requests go and how they authenticate, whatever the address names', async () => {
    const { page, base } = await visit();
    await page.goto('/docs#100%');
    await page.getByText('Authorization: Bearer').first().waitFor();
    assert.ok((await page.locator('main').innerText()).includes(`Requests go to ${base} with`));
  });

  it('printing shows every operation, and closes them afterwards', async () => {
    const { page } = await visit();
    await page.goto('/docs');
    await page.locator('.docs-operation').first().waitFor();
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    const operations = page.locator('.docs-operation');
    assert.equal(await page.locator('.docs-operation[open] > h4').filter({ hasText: 'Responses' }).count(), await operations.count());
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    assert.equal(await page.locator('.docs-operation[open]').count(), 0);
  });

  it('the address names the operation that was opened last, and opens it', async () => {
    const { page } = await opened();
    await page.waitForURL('**/docs#operations-waits-ask');
    await page.reload();
    await ask(page).locator('.docs-response').first().waitFor();
    await page.getByRole('link', { name: 'webhooks' }).click();
    await page.waitForURL('**/docs#operations-tag-webhooks');
  });

  it('the API page says so when the document cannot be loaded', async () => {
    const { page } = await visit();
    await page.route('**/openapi.json', (route) => route.fulfill({ status: 503, body: '{}' }));
    await page.goto('/docs');
    await page.getByText('The reference could not be loaded.').waitFor();
  });

  const ask = (page: Page): Locator => page.locator('#operations-waits-ask');

  async function opened(): Promise<BrowserUser> {
    const user = await visit();
    const { page } = user;
    const answer = await page.goto('/docs');
    const policy = answer!.headers()['content-security-policy'] ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self'(?:;|$)/);
    assert.match(policy, /style-src 'self'(?:;|$)/);
    await ask(page).locator('> summary').click();
    await ask(page).locator('.docs-response').first().waitFor();
    await page.evaluate('document.fonts.ready');
    return user;
  }
});
