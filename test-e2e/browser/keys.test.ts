import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { typeIn } from './fixture/typing.js';

onBrowserSystem('keys on the web page', ({ system, visit }) => {
  it('a key is created, shown once with what a program needs, works, and is rejected a moment after it is revoked', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    const { robot } = await user.call('POST', '/console/robots', { virtual: true, name: 'Desk' });
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await typeIn(page.getByLabel('Name'), 'laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();

    const shown = page.getByRole('dialog', { name: 'Your key: laptop' });
    const key = await shown.getByRole('textbox', { name: 'Key' }).innerText();
    assert.match(key, /^pk_/);
    assert.equal(await shown.getByRole('textbox', { name: 'Base URL' }).innerText(), system().gateway());
    assert.equal(await shown.getByRole('textbox', { name: 'Robot id of Desk' }).innerText(), robot.id);
    assert.ok((await shown.getByRole('region', { name: /^for / }).innerText()).includes(`${system().gateway()}/mcp`));
    assert.equal((await robotsBy(key)).status, 200);

    await shown.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('laptop').first().waitFor();
    assert.ok(!(await page.content()).includes(key), 'the key is still in the page');
    await page.getByRole('button', { name: 'Revoke laptop' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('No keys yet').waitFor();
    await until(async () => (await robotsBy(key)).status === 401, { what: 'the key to be dead' });
  });

  it('a key without a name is rejected at its field', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').and(page.locator('[aria-invalid=true]')).waitFor();
    assert.equal((await user.call('GET', '/console/keys')).keys.length, 0);
  });

  function robotsBy(key: string): Promise<Response> {
    return fetch(`${system().gateway()}/v1/robots`, { headers: { authorization: `Bearer ${key}` } });
  }
});
