/** Addresses that lead nowhere, long texts in dialogs, and names that do not fit. */
import assert from 'node:assert/strict';
import { pair, VirtualRobot, type UserCode } from '@perch/virtual-robot';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { typeIn } from './fixture/typing.js';

onBrowserSystem('addresses and names on the web page', ({ system, visit }) => {
  it('a mistyped address shows that there is no such page, signed in or not, and programs get JSON', async () => {
    const user = await visit();
    const { page } = user;
    const missing = async (way: string): Promise<void> => {
      const response = await page.goto('/robotz');
      assert.equal(response!.status(), 404);
      await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
      await page.getByRole('link', { name: way }).waitFor();
      assert.deepEqual(await user.axe(), []);
    };
    await missing('Sign in');
    await user.signUp();
    await missing('Go to your robots');
    assert.ok(user.problems.splice(0).every((problem) => problem.includes('404 for ')));
    const { status, headers } = await fetch(`${user.base}/robotz`);
    assert.deepEqual([status, headers.get('content-type')], [404, 'application/json; charset=utf-8']);
  });

  it('a long address stays inside the dialog that deletes its webhook', async () => {
    const user = await visit({ width: 360 });
    const { page } = user;
    await user.signUp();
    await user.call('POST', '/console/v1/webhooks', { url: `https://hooks.example.com/${'very-long-path'.repeat(12)}` });
    await page.goto('/webhooks');
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByRole('alertdialog').waitFor();
    const [inside, width] = (await page.evaluate(`(() => {
      const { scrollWidth, clientWidth } = document.querySelector('[role=alertdialog]');
      return [scrollWidth, clientWidth];
    })()`)) as [number, number];
    assert.ok(inside <= width, `${inside} px in ${width} px`);
  });

  it('a blank name and one of 100 letters are rejected at the field, and nothing is shortened', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    await user.call('POST', '/console/robots', { virtual: true, name: 'Desk' });
    await page.goto('/robots');
    await page.getByRole('button', { name: 'Actions for Desk' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    const dialog = page.getByRole('dialog');
    const name = dialog.getByLabel('Name');
    for (const [typed, problem] of [
      ['   ', 'Enter a name.'],
      ['n'.repeat(100), 'Use at most 64 characters; this name has 100.'],
    ] as const) {
      await typeIn(name, typed);
      await dialog.getByRole('button', { name: 'Rename' }).click();
      await dialog.getByText(problem).waitFor();
      assert.equal(await name.inputValue(), typed);
    }
    await typeIn(name, 'n'.repeat(64));
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'n'.repeat(64) }).waitFor();
  });

  it('after pairing, the page says that the robot is coming online', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    const address = system().link().replace(/^ws/, 'http').replace('/robot/v1/link', '');
    const pairing = new AbortController();
    let paired: Promise<unknown> | undefined;
    try {
      const { userCode } = await new Promise<UserCode>((resolve, reject) => {
        paired = pair(address, { serial: `S${Date.now()}`, onCode: resolve, signal: pairing.signal });
        paired.catch(reject);
      });
      await page.goto(`/pair?code=${userCode}`);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Add robot' }).click();
      await page.getByText('Coming online…').waitFor();
      assert.equal(await page.getByText('Check that it is switched on').count(), 0);
    } finally {
      pairing.abort();
      await paired?.catch(() => undefined);
    }
  });

  it('a long name fills its line before it breaks', async () => {
    const user = await visit({ width: 1280 });
    const { page } = user;
    await user.signUp();
    const { robot } = await user.call('POST', '/console/robots', { virtual: true, name: 'The robot on the third desk by the window in the east' });
    await page.goto(`/robots/${robot.id}`);
    const title = page.getByRole('heading', { level: 1 });
    await title.getByText('third desk').waitFor();
    const { height } = (await title.boundingBox())!;
    assert.ok(height < 50, `${height} px high`);
  });

  it('dates, times and numbers follow the locale of the browser', async () => {
    const user = await visit({ locale: 'de-DE' });
    const { page } = user;
    await user.signUp();
    await user.call('POST', '/console/keys', { name: 'laptop', robots: '*' });
    await page.goto('/keys');
    await page.getByText(/^Created \d{1,2}\.\d{1,2}\.\d{4}$/).waitFor();
    const { account } = await user.call('GET', '/console/session');
    const { robot: id, token } = await system().store.robots.create({ account: account.id, name: 'Desk' });
    const robot = new VirtualRobot({ url: system().link(), token });
    system().keep(robot);
    robot.setReading('battery_v', 4.05);
    await robot.start();
    await page.goto(`/robots/${id}`);
    await page.locator('.reading').getByText('4,05 V', { exact: true }).waitFor();
    await page
      .getByRole('log', { name: 'Events, newest first' })
      .getByText(/^\d{2}:\d{2}:\d{2}$/)
      .first()
      .waitFor();
  });
});
