import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { left } from '../fixture/robots/question.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { tapUntil } from './fixture/robot-screen.js';

onBrowserSystem("the first program of a virtual robot's page", ({ visit }) => {
  it('a new user asks the virtual robot a question on its own page, without another tab', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    await page.goto('/robots');
    await page.getByRole('button', { name: 'Add a virtual robot' }).click();
    await page.getByText('Online', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    const answered = page.getByRole('status').filter({ hasText: 'You tapped “Yes”' });
    await tapUntil(page, left, () => answered.isVisible());

    const next = page.getByRole('region', { name: 'Now from your program' });
    assert.deepEqual(await user.axe(), []);
    await next.getByRole('button', { name: 'Create key' }).click();
    const command = await next.getByRole('region', { name: 'for a terminal' }).innerText();
    assert.deepEqual(await user.axe(), []);
    const ran = promisify(execFile)('sh', ['-c', command], { timeout: 60_000 });
    let isOver = false;
    void ran.finally(() => (isOver = true)).catch(() => {});
    await tapUntil(page, left, async () => isOver);
    assert.equal((JSON.parse((await ran).stdout) as { answer: string }).answer, 'Yes');
    // An account whose program has called needs no such help.
    await page.reload();
    await page.getByText('Online', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await tapUntil(page, left, () => answered.isVisible());
    await page.waitForTimeout(1000);
    assert.equal(await next.count(), 0);
  });
});
