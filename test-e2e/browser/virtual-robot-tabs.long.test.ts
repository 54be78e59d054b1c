import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type { Page } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { PageRobot } from './fixture/page-robot.js';

onBrowserSystem('a virtual robot while a tab is open', ({ visit }) => {
  it('runs on, as it was, while other pages of its tab are shown', async () => {
    const pip = await PageRobot.open(visit);
    const { page } = pip;
    await pip.act('face', { emotion: 'happy' });
    await pip.said(/happy face/);
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await pip.act('say', { text: 'Still here' });
    await page.getByRole('link', { name: 'Robots', exact: true }).click();
    await page.getByRole('heading', { name: 'Pip' }).waitFor();
    await page.goBack();
    await page.goBack();
    await pip.online();
    await pip.said(/happy face/);
    assert.equal((await pip.heard(['connected'])).length, 1);
  });

  it('is taken over by another tab, whichever page that shows, when its own is closed', async () => {
    const pip = await PageRobot.open(visit);
    const second = await pip.user.tab();
    await second.goto('/keys');
    await second.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await waited(pip.page, true);
    await pip.page.close();
    await until(async () => (await pip.heard(['connected'])).length === 2, { what: 'the robot to connect from the other tab' });
    await pip.act('say', { text: 'From the other tab' });
    await second.getByRole('link', { name: 'Robots', exact: true }).click();
    await second.getByText('Online', { exact: true }).waitFor();
    await second.goto(`/virtual/${pip.id}`);
    await pip.online(second);
  });

  it('makes the browser ask before its last tab is closed, and not before another is', async () => {
    const pip = await PageRobot.open(visit);
    const { page } = pip;
    const second = await pip.user.tab();
    await second.goto('/keys');
    await second.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await waited(page, true);
    const asked: string[] = [];
    for (const tab of [page, second])
      tab.on('dialog', (dialog) => {
        asked.push(dialog.type());
        void dialog.dismiss();
      });
    await second.close({ runBeforeUnload: true });
    await until(() => second.isClosed());
    assert.deepEqual(asked, []);
    await waited(page, false);
    await page.close({ runBeforeUnload: true });
    await until(() => asked.length > 0, { what: 'the browser to ask' });
    assert.deepEqual([asked, page.isClosed()], [['beforeunload'], false]);
    await pip.act('say', { text: 'Still here' });
    page.removeAllListeners('dialog');
  });
});

/** Waits until the tab that runs the robot knows whether another one waits for it; it looks every two seconds. */
async function waited(page: Page, wanted: boolean): Promise<void> {
  const some = `navigator.locks.query().then(({ pending }) => pending.some(({ name }) => name.startsWith('perch-robot:')))`;
  await until(async () => (await page.evaluate(some)) === wanted, { what: `a waiting tab: ${wanted}` });
  await page.waitForTimeout(2500);
}
