import assert from 'node:assert/strict';
import { onBrowserSystem } from './fixture/browser-suite.js';

onBrowserSystem('the first steps on the web page', ({ system, visit }) => {
  it('each first step is ticked once it has happened, without a reload, and the list goes when all are done', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    await page.goto('/robots');
    const steps = page.getByRole('region', { name: 'First steps' });
    const done = async (title: string): Promise<void> =>
      steps
        .getByRole('listitem')
        .filter({ hasText: `${title}, done` })
        .waitFor();
    await steps.getByText('Add a robot, not done yet').waitFor();
    await user.call('POST', '/console/robots', { virtual: true, name: 'Desk' });
    await done('Add a robot');
    const { api_key: key } = await user.call('POST', '/console/keys', { name: 'laptop', robots: '*' });
    await done('Create a key');
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    assert.equal((await fetch(`${system().gateway()}/v1/robots`, { headers })).status, 200);
    await done('Call a robot from a program');
    assert.equal(await steps.getByRole('listitem').filter({ hasText: 'Connect an agent, not done yet' }).count(), 1);
    const listed = await fetch(`${system().gateway()}/mcp`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    assert.equal(listed.status, 200);
    await steps.waitFor({ state: 'detached' });
  });

  it('hidden first steps stay hidden after a reload', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    await page.goto('/robots');
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByRole('button', { name: 'Hide' }).click();
    await steps.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('button', { name: 'Add a virtual robot' }).waitFor();
    await page.waitForTimeout(500);
    assert.equal(await steps.count(), 0);
  });
});
