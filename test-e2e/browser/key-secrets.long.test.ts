import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { onBrowserSystem } from './fixture/browser-suite.js';

onBrowserSystem('secrets of keys on the web page', ({ system, visit }) => {
  for (const way of [
    { width: 1280, height: 800, theme: 'dark' },
    { width: 360, height: 740, theme: 'light' },
  ] as const)
    it(`replaces a secret, shows the new one once, and ends the old one on request: ${way.width} pixels wide, ${way.theme}`, async () => {
      const user = await visit(way);
      const { page } = user;
      await user.signUp();
      const { api_key: first } = await user.call('POST', '/console/keys', { name: 'laptop', robots: '*' });
      await page.goto('/keys');
      await page.getByRole('button', { name: 'Replace secret of laptop' }).click();
      const dialog = page.getByRole('dialog', { name: 'Replace the secret of laptop' });
      await dialog.getByRole('button', { name: /The old secret works for/ }).click();
      assert.deepEqual(await page.getByRole('option').allInnerTexts(), ['1 day', '1 hour', '7 days', 'Ends now: it may be known to others']);
      await page.getByRole('option', { name: '1 hour' }).click();
      await dialog.getByRole('button', { name: 'Create secret' }).click();

      const shown = page.getByRole('dialog', { name: 'Your key: laptop' });
      const second = await shown.getByRole('textbox', { name: 'Key' }).innerText();
      assert.match(second, /^pk_/);
      assert.notEqual(second, first);
      await shown.getByText(/^The old secret works until /).waitFor();
      assert.deepEqual([await statusOf(first), await statusOf(second)], [200, 200]);
      await shown.getByRole('button', { name: 'I have copied it' }).click();
      await page.getByText(/^The old secret works until /).waitFor();
      assert.ok(!(await page.content()).includes(second), 'the secret is still in the page');

      await page.getByRole('button', { name: 'End the old secret now: laptop' }).click();
      const confirm = page.getByRole('alertdialog', { name: 'End the old secret of laptop?' });
      assert.deepEqual(await user.axe(), []);
      await confirm.getByRole('button', { name: 'End old secret' }).click();
      await confirm.waitFor({ state: 'detached' });
      await page.getByText(/^The old secret works until /).waitFor({ state: 'detached' });
      await until(async () => (await statusOf(first)) === 401, { what: 'the old secret to be rejected' });
      assert.equal(await statusOf(second), 200);
    });

  it('ends the old secret at once if that is chosen', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    const { api_key: first } = await user.call('POST', '/console/keys', { name: 'laptop', robots: '*' });
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Replace secret of laptop' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replace the secret of laptop' });
    await dialog.getByRole('button', { name: /The old secret works for/ }).click();
    await page.getByRole('option', { name: 'Ends now' }).click();
    await dialog.getByRole('button', { name: 'Create secret' }).click();
    const shown = page.getByRole('dialog', { name: 'Your key: laptop' });
    await shown.waitFor();
    await until(async () => (await statusOf(first)) === 401, { what: 'the old secret to be rejected' });
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText(/^The old secret works until /).waitFor({ state: 'detached' });
  });

  async function statusOf(key: string): Promise<number> {
    return (await fetch(`${system().gateway()}/v1/robots`, { headers: { authorization: `Bearer ${key}` } })).status;
  }
});
