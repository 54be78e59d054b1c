import assert from 'node:assert/strict';
import { defaultCommands, VirtualRobot } from '@perch/virtual-robot';
import type { Page } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import type { BrowserUser, BrowserUserOptions } from './fixture/browser-user.js';

onBrowserSystem('sharing a robot on the web page', ({ system, visit }) => {
  async function owner(options?: BrowserUserOptions): Promise<{ user: BrowserUser; robot: string; body: VirtualRobot; email: string }> {
    const user = await visit(options);
    const { email } = await user.signUp();
    const made = await user.call('POST', '/console/robots', { virtual: true, name: 'Lamp' });
    const commands = [...defaultCommands, { ...defaultCommands[0]!, name: 'calibrate_head' }];
    const body = new VirtualRobot({ url: system().link(), token: made.token, commands });
    system().keep(body);
    await body.start();
    return { user, robot: made.robot.id, body, email };
  }

  /** Creates a link on the settings page. */
  async function linkFrom(page: Page, robot: string, permission: 'Watch' | 'Use'): Promise<string> {
    await page.goto(`/robots/${robot}/settings`);
    await page.getByRole('radiogroup', { name: 'People with a new link may' }).getByText(permission, { exact: true }).click();
    await page.getByRole('button', { name: 'Create share link' }).click();
    return page.getByRole('textbox', { name: 'Share link' }).innerText();
  }

  it('a person opens the link signed out, signs in, accepts, watches, may use it once the owner allows it, and loses it when removed', async () => {
    const sharing = await owner();
    const { page } = sharing.user;
    const link = await linkFrom(page, sharing.robot, 'Watch');
    assert.match(link, /\/share#share=pg_[\w-]{53}$/);
    await page.getByText('This robot is not shared yet.').waitFor({ state: 'detached' });
    await page.getByRole('list', { name: 'Unused share links' }).getByText('Unused link to watch').waitFor();

    const guest = await visit({ width: 360, theme: 'dark' });
    const { email, password } = await guest.signUp();
    await guest.call('DELETE', '/console/session');
    await guest.page.goto(link);
    await guest.page.getByRole('button', { name: 'Sign in' }).waitFor();
    assert.equal(new URL(guest.page.url()).hash, '', 'the token stays in no address');
    await guest.page.getByLabel('E-mail').fill(email);
    await guest.page.getByLabel('Password', { exact: true }).fill(password);
    await guest.page.getByRole('button', { name: 'Sign in' }).click();
    await guest.page.getByRole('heading', { name: 'Accept Lamp?' }).waitFor();
    await guest.page.getByText(`${sharing.email} shares this robot with you.`).waitFor();
    await guest.page.getByText('You cannot run actions.').waitFor();
    await guest.page.getByRole('button', { name: 'Accept' }).click();

    await guest.page.getByRole('heading', { name: 'Lamp', level: 1 }).waitFor();
    await guest.page.getByText(`Shared by ${sharing.email} to watch.`).waitFor();
    await guest.page.getByText('Online', { exact: true }).first().waitFor();
    for (const hidden of ['Settings', 'Playground', 'Earlier screens', 'Robot log'])
      assert.equal(await guest.page.getByText(hidden, { exact: true }).count(), 0, hidden);
    assert.deepEqual(await guest.axe(), []);
    // There is no empty line in place of the button that only the owner has.
    const head = guest.page.locator('.page-head');
    const [whole, back, text] = await Promise.all(
      [head, head.locator('.back-link'), head.locator('.page-head-text')].map((part) => part.boundingBox()),
    );
    assert.ok(text!.y - back!.y - back!.height < 24 && whole!.y + whole!.height - text!.y - text!.height < 1, JSON.stringify({ whole, back, text }));
    await guest.page.goto(`/robots/${sharing.robot}/settings`);
    await guest.page.getByRole('heading', { name: 'No such robot' }).waitFor();

    await page.getByRole('list', { name: 'People' }).getByRole('heading', { name: email }).waitFor();
    // An accepted link works no longer, so it is not shown any longer.
    await page.getByRole('textbox', { name: 'Share link' }).waitFor({ state: 'detached' });
    await page
      .getByRole('radiogroup', { name: `What ${email} may do` })
      .getByText('Use', { exact: true })
      .click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Allow use' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await guest.page.goto(`/robots/${sharing.robot}?action=face`);
    await guest.page.getByText(`Shared by ${sharing.email} to use.`).waitFor();
    await guest.page.getByText('API keys reach only robots of their own account.').waitFor();
    await guest.page.getByRole('button', { name: 'Run face' }).click();
    await sharing.body.until(({ face }) => face.emotion === 'happy', { what: 'the face' });
    // The service refuses a calibration to guests, so that it is offered to the owner alone.
    for (const [user, isOffered] of [
      [guest, false],
      [sharing.user, true],
    ] as const) {
      await user.page.goto(`/robots/${sharing.robot}?action=command`);
      await user.page.getByText('Commands of this robot').click();
      await user.page.getByRole('button', { name: defaultCommands[0]!.name, exact: true }).waitFor();
      assert.equal(await user.page.getByRole('button', { name: 'calibrate_head' }).count(), Number(isOffered));
    }
    await guest.page.goto(`/robots/${sharing.robot}?action=face`);
    await guest.page.getByRole('button', { name: 'Run face' }).waitFor();
    assert.deepEqual(await guest.axe(), []);

    await page.goto('/activity');
    await page.getByText(`${email}, web page`).first().waitFor();
    await page.goto(`/robots/${sharing.robot}/settings`);
    await page.getByRole('button', { name: `Remove ${email}` }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('This robot is not shared yet.').waitFor();
    await guest.page.getByRole('heading', { name: 'No such robot' }).waitFor();
    await guest.page.goto('/robots');
    await guest.page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();
    assert.equal(await guest.page.getByRole('heading', { name: 'Shared with you' }).count(), 0);
  });

  it('a link tells its owner that the robot is theirs, works once, can be withdrawn, and a shared robot is given up from the list', async () => {
    const sharing = await owner({ width: 360, theme: 'dark' });
    const { page } = sharing.user;
    const link = await linkFrom(page, sharing.robot, 'Use');
    const tab = await sharing.user.tab();
    await tab.goto(link);
    await tab.getByRole('heading', { name: 'This robot is your own' }).waitFor();
    assert.deepEqual(await sharing.user.axe(tab), []);

    const guest = await visit();
    await guest.signUp();
    await guest.page.goto(link);
    await guest.page.getByRole('button', { name: 'Accept' }).click();
    await guest.page.getByText(`Shared by ${sharing.email} to use.`).waitFor();
    const late = await visit({ width: 360 });
    await late.signUp();
    await late.page.goto(link);
    await late.page.getByText('it was used before').waitFor();
    assert.deepEqual(await late.axe(), []);

    const withdrawn = await linkFrom(page, sharing.robot, 'Watch');
    await page.getByRole('button', { name: 'Withdraw this link' }).click();
    await page.getByRole('list', { name: 'Unused share links' }).waitFor({ state: 'detached' });
    await late.page.goto('/robots');
    await late.page.goto(withdrawn);
    await late.page.getByText('was withdrawn').waitFor();

    await guest.page.goto('/robots');
    const shared = guest.page.getByRole('region', { name: 'Shared with you' });
    await shared.getByText(`Shared by ${sharing.email} to use.`).waitFor();
    await shared.getByRole('button', { name: 'Actions for Lamp' }).click();
    await guest.page.getByRole('menuitem', { name: 'Leave' }).click();
    assert.deepEqual(await guest.axe(), []);
    await guest.page.getByRole('alertdialog').getByRole('button', { name: 'Leave robot' }).click();
    await shared.waitFor({ state: 'detached' });
    await page.getByText('This robot is not shared yet.').waitFor();
  });
});
