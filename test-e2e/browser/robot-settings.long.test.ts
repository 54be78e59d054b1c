import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { typeIn } from './fixture/typing.js';

onBrowserSystem('the settings of a robot on the web page', ({ system, visit }) => {
  it("robot settings open from the robot's page, name a wrong field, and survive a reload", async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    const { robot } = await user.call('POST', '/console/robots', { virtual: true, name: 'Pip' });
    await page.goto(`/robots/${robot.id}`);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();

    const about = page.locator('section').filter({ hasText: 'Name and labels' });
    await typeIn(about.getByLabel('Name', { exact: true }), 'Kitchen');
    const label = about.getByLabel('New label');
    await label.fill('room');
    await about.getByRole('button', { name: 'Save' }).click();
    await about.getByText('Write key=value').waitFor();
    await label.fill('room=r7');
    await label.press('Enter');
    await label.fill('wrong=1');
    await about.getByRole('button', { name: 'Add label' }).click();
    await label.fill('floor=2');
    await label.press('Enter');
    await about.getByRole('button', { name: 'Remove wrong=1' }).click();
    assert.deepEqual(await about.getByRole('list', { name: 'Labels' }).getByRole('listitem').allInnerTexts(), ['room=r7', 'floor=2']);
    await about.getByText('Not saved yet.').waitFor();
    await about.getByRole('button', { name: 'Save' }).click();
    await about.getByText('Saved.').waitFor();

    const sound = page.locator('section').filter({ hasText: 'Highest volume' });
    await typeIn(sound.getByLabel('Highest volume'), '101');
    await sound.getByRole('button', { name: 'Save' }).click();
    await sound.getByText('Enter a whole number from 0 to 100').waitFor();
    await typeIn(sound.getByLabel('Highest volume'), '40');
    await sound.getByText('No sound or speech').click();
    await sound.getByLabel('From').fill('21:30');
    await sound.getByLabel('To').fill('06:15');
    await typeIn(sound.getByLabel('Time zone'), 'Mars/Olympus');
    await sound.getByRole('button', { name: 'Save' }).click();
    await sound.getByText('must be the name of a time zone', { exact: false }).waitFor();
    await typeIn(sound.getByLabel('Time zone'), 'Europe/Berlin');
    await sound.getByRole('button', { name: 'Save' }).click();
    await sound.getByText('Saved.').waitFor();
    assert.deepEqual(await user.axe(), []);

    const { robot: changed } = await user.call('GET', `/console/robots/${robot.id}`);
    assert.deepEqual(
      [changed.name, changed.labels, changed.time_zone, changed.volume_max, changed.quiet_hours],
      ['Kitchen', { floor: '2', room: 'r7' }, 'Europe/Berlin', 40, { from: '21:30', to: '06:15' }],
    );
    await page.reload();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    assert.equal(await sound.getByLabel('To').inputValue(), '06:15');
    assert.equal(await sound.getByLabel('Time zone').inputValue(), 'Europe/Berlin');
    await sound.getByText('No sound or speech').click();
    await sound.getByRole('button', { name: 'Save' }).click();
    await sound.getByText('Saved.').waitFor();
    assert.equal((await user.call('GET', `/console/robots/${robot.id}`)).robot.quiet_hours, null);
  });

  it('robot settings keep what was typed and not saved when another page is shown, and warn before the tab is left', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    const { robot } = await user.call('POST', '/console/robots', { virtual: true, name: 'Pip' });
    await page.goto(`/robots/${robot.id}/settings`);
    await typeIn(page.getByLabel('Name', { exact: true }), 'Kitchen');
    await typeIn(page.getByLabel('Highest volume'), '40');
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await page.goBack();
    await page.getByText('Not saved yet.').nth(1).waitFor();
    assert.deepEqual(
      [await page.getByLabel('Name', { exact: true }).inputValue(), await page.getByLabel('Highest volume').inputValue()],
      ['Kitchen', '40'],
    );
    const asked = page.waitForEvent('dialog');
    const leaving = page.close({ runBeforeUnload: true });
    const dialog = await asked;
    assert.equal(dialog.type(), 'beforeunload');
    await dialog.dismiss();
    await leaving;
    for (const save of await page.getByRole('button', { name: 'Save' }).all()) await save.click();
    await page.getByText('Saved.').nth(1).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Kitchen');
    assert.equal(await page.getByText('Not saved yet.').count(), 0);
  });

  it('robot settings propose the time zone of the browser, replace the token of a virtual robot, and remove the robot', async () => {
    const user = await visit({ width: 360, theme: 'dark' });
    const { page } = user;
    await user.signUp();
    const { robot, token } = await user.call('POST', '/console/robots', { virtual: true, name: 'Pip' });
    await page.goto(`/robots/${robot.id}/settings`);
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    assert.equal(await page.locator('.page-head').getByText('Pip').count(), 1, 'the name of the robot, in the link to its page alone');
    const zone = await page.evaluate('new Intl.DateTimeFormat().resolvedOptions().timeZone');
    assert.equal(await page.getByLabel('Time zone').inputValue(), zone);
    await page.getByRole('button', { name: 'Replace token' }).click();
    await page.getByText('New token, shown only now').waitFor();
    const shown = await page.locator('.robot-settings-token').innerText();
    assert.equal((await system().store.robots.byToken(shown))?.id, robot.id);
    assert.equal(await system().store.robots.byToken(token), null);
    assert.deepEqual(await user.axe(), []);
    await page.getByRole('button', { name: 'Remove robot' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove robot' }).click();
    await page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();
    await until(async () => (await system().store.robots.get(robot.id)) === null, { what: 'the robot to be removed' });
  });
});
