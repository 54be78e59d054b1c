import assert from 'node:assert/strict';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { typeIn } from './fixture/typing.js';

onBrowserSystem('dialogs of keys on the web page', ({ system, visit }) => {
  it('a new key is installed in Cursor and VS Code with one click, and VS Code asks for the key itself', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await typeIn(page.getByLabel('Name'), 'editor');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('dialog', { name: 'Your key: editor' });
    const key = await shown.getByRole('textbox', { name: 'Key' }).innerText();
    const url = `${system().gateway()}/mcp`;
    const linkOf = async (program: string): Promise<URL> => {
      await shown.getByRole('button', { name: /Set up$/ }).click();
      await page.getByRole('option', { name: program, exact: true }).click();
      return new URL((await shown.getByRole('link', { name: `Install in ${program}` }).getAttribute('href'))!);
    };
    const cursor = await linkOf('Cursor');
    assert.equal(cursor.href.split('?')[0], 'cursor://anysphere.cursor-deeplink/mcp/install');
    assert.equal(cursor.searchParams.get('name'), 'perch');
    assert.deepEqual(JSON.parse(Buffer.from(cursor.searchParams.get('config')!, 'base64').toString()), {
      url,
      headers: { Authorization: `Bearer ${key}` },
    });
    const code = await linkOf('VS Code');
    assert.equal(code.href.split('?')[0], 'vscode:mcp/install');
    const config = JSON.parse(decodeURIComponent(code.search.slice(1)));
    assert.deepEqual([config.name, config.url, config.inputs[0].password], ['perch', url, true]);
    assert.ok(!code.href.includes(key));
  });

  it('revoking a key lists the webhooks that it created, and removes them if that is chosen', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    const webhookOf = async (name: string): Promise<void> => {
      const { api_key } = await user.call('POST', '/console/keys', { name, robots: '*' });
      const { status } = await fetch(`${system().gateway()}/v1/webhooks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: `https://example.com/${name}` }),
      });
      assert.equal(status, 200);
    };
    await webhookOf('removed');
    await webhookOf('kept');
    await page.goto('/keys');
    for (const name of ['removed', 'kept']) {
      await page.getByRole('button', { name: `Revoke ${name}` }).click();
      const dialog = page.getByRole('alertdialog');
      await dialog.getByText(`https://example.com/${name}`).waitFor();
      assert.equal(await dialog.getByRole('listitem').count(), 1);
      const choice = dialog.getByRole('checkbox', { name: 'Remove it too' });
      assert.equal(await choice.isChecked(), false);
      if (name === 'removed') {
        await dialog.getByText('Remove it too').click();
        assert.deepEqual(await user.axe(), []);
      }
      await dialog.getByRole('button', { name: 'Revoke key' }).click();
      await dialog.waitFor({ state: 'hidden' });
    }
    const { webhooks } = await user.call('GET', '/console/v1/webhooks');
    assert.deepEqual(
      webhooks.map(({ url, created_by }: { url: string; created_by: unknown }) => [url, created_by]),
      [['https://example.com/kept', null]],
    );
  });

  it('a key gets the scopes that are chosen, and is listed with them', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    const { robot } = await user.call('POST', '/console/robots', { virtual: true, name: 'Desk' });
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await typeIn(page.getByLabel('Name'), 'dashboard');
    const choose = (label: string) => dialog.locator('label', { hasText: new RegExp(`^${label}`) }).click();
    for (const label of ['Read', 'Act', 'Ask']) await choose(label);
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Choose at least one.').waitFor();
    assert.deepEqual(await user.axe(), []);
    await choose('Read');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('dialog', { name: 'Your key: dashboard' });
    const key = await shown.getByRole('textbox', { name: 'Key' }).innerText();
    assert.equal((await robotsBy(key)).status, 200);
    const refused = await fetch(`${system().gateway()}/v1/robots/${robot.id}/face`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ emotion: 'happy' }),
    });
    assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code], [403, 'scope_missing']);
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('Can read', { exact: true }).waitFor();
    await user.call('POST', '/console/keys', { name: 'all', robots: '*' });
    await page.reload();
    await page.getByText('Can read, act and ask').waitFor();
  });

  it('a key that requests approvals is one that the user chose, and comes with the variables of the hook alone', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    const { robot } = await user.call('POST', '/console/robots', { virtual: true, name: 'Desk' });
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await typeIn(page.getByLabel('Name'), 'hook');
    const checked = async (): Promise<boolean[]> =>
      Promise.all(
        ['Read', 'Act', 'Ask', 'Request approvals'].map((name) => dialog.getByRole('checkbox', { name, exact: false }).first().isChecked()),
      );
    assert.deepEqual(await checked(), [true, true, true, false]);
    for (const label of ['Read', 'Act', 'Ask', 'Request approvals']) await dialog.locator('label', { hasText: new RegExp(`^${label}`) }).click();
    assert.deepEqual(await user.axe(), []);
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('dialog', { name: 'Your key: hook' });
    const key = await shown.getByRole('textbox', { name: 'Key' }).innerText();
    const config = await shown.getByRole('region', { name: 'for Approval hook' }).innerText();
    assert.ok(config.includes(`export PERCH_BASE_URL=${system().gateway()} PERCH_APPROVAL_KEY=${key} PERCH_ROBOT=${robot.id}`), config);
    assert.ok(!(await shown.innerText()).includes('/mcp'));
    assert.deepEqual(await user.axe(), []);
    assert.equal((await robotsBy(key)).status, 403);
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('Can request approvals', { exact: true }).waitFor();
  });

  it('a key whose secret was replaced shows until when the old secret works', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    const { key } = await user.call('POST', '/console/keys', { name: 'rolled', robots: '*' });
    const { account } = await user.call('GET', '/console/session');
    assert.ok(await system().store.keyRotation.roll(account.id, key.id, 86_400_000));
    await page.goto('/keys');
    await page.getByText(/^The old secret works until /).waitFor();
    assert.deepEqual(await user.axe(), []);
  });

  function robotsBy(key: string): Promise<Response> {
    return fetch(`${system().gateway()}/v1/robots`, { headers: { authorization: `Bearer ${key}` } });
  }
});
