import assert from 'node:assert/strict';
import { VirtualRobot } from '@perch/virtual-robot';
import { makeFleet } from '../fixture/robots/fleet.js';
import { onBrowserSystem } from './fixture/browser-suite.js';

onBrowserSystem('long lists of robots on the web page', ({ system, visit }) => {
  it('a list of 2,000 robots loads page by page, is searched and filtered, and opens one that is not among the first', async () => {
    const user = await visit();
    const { page } = user;
    const { email } = await user.signUp();
    const { store } = system();
    const account = (await store.accounts.findByEmail(email))!.id;
    const ids = await makeFleet(store, account, 2000, { connected: 0, name: (i) => `Robot ${i + 1} of the fleet` });
    for (const [i, room] of [
      [3, 'r7'],
      [1500, 'r7'],
      [1501, 'r8'],
    ] as const)
      await store.robotLabels.change(account, ids[i]!, { set: { room } });
    await page.goto('/robots');
    const rows = page.locator('.robot-row');
    await page.getByText('200 of 2000 robots shown.').waitFor();
    assert.equal(await rows.count(), 200);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('300 of 2000 robots shown.').waitFor();
    assert.equal(await rows.count(), 300);

    const last = ids.toSorted().at(-1)!;
    await page.getByLabel('Search robots').fill(last);
    await page.getByText('1 of 2000 robots shown.').waitFor();
    await page.getByLabel('Search robots').fill('');
    await page.goto('/robots?label=room%3Dr7');
    await page.getByText('2 of 2000 robots shown.').waitFor();
    assert.deepEqual((await rows.locator('code').allInnerTexts()).toSorted(), [ids[3]!, ids[1500]!].toSorted());
    await page.getByLabel('Search robots').fill('ROBOT 1501 of');
    await page.getByText('1 of 2000 robots shown.').waitFor();
    await page.reload();
    await page.getByText('1 of 2000 robots shown.').waitFor();
    assert.equal(await page.getByLabel('Search robots').inputValue(), 'ROBOT 1501 of');
    await page.getByRole('link', { name: 'Robots', exact: true }).click();
    await page.getByText('200 of 2000 robots shown.').waitFor();

    // The list is in the order of ids, which are random: a robot that is surely not among its first 200.
    const far = ids.toSorted().at(-2)!;
    const farName = `Robot ${ids.indexOf(far) + 1} of the fleet`;
    await page.getByLabel('Search robots').fill(farName.toUpperCase());
    const row = page.getByRole('listitem').filter({ hasText: far });
    await row.waitFor();
    assert.equal(await rows.count(), 1);
    await row.getByRole('link').click();
    await page.getByRole('heading', { name: farName, level: 1, exact: true }).waitFor();
    await page.goto(`/robots/${last}`);
    await page.getByRole('heading', { name: /^Robot \d+ of the fleet$/, level: 1 }).waitFor();
  });

  it('200 robots are a list at once, which filters by status and label with the keyboard and passes axe', async () => {
    const user = await visit({ width: 320 });
    const { page } = user;
    const { email } = await user.signUp();
    const { store } = system();
    const account = (await store.accounts.findByEmail(email))!.id;
    const ids = await makeFleet(store, account, 200, { connected: 0, name: (i) => `A robot with quite a long name, number ${i + 1}` });
    for (const [i, id] of ids.entries()) await store.robotLabels.change(account, id, { set: { room: `r${i % 40}`, floor: String(i % 3) } });
    const { robot: virtual, token } = await store.robots.create({ account, name: 'The only one online' });
    const robot = new VirtualRobot({ url: system().link(), token });
    system().keep(robot);
    await robot.start();
    await page.goto('/robots');
    const rows = page.locator('.robot-row');
    await page.getByText('200 of 201 robots shown.').waitFor();
    assert.deepEqual(await user.axe(), []);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);

    await page.getByRole('button', { name: /Status/ }).press('Enter');
    await page.getByRole('option', { name: 'Online', exact: true }).press('Enter');
    await page.getByText('1 of 201 robots shown.').waitFor();
    assert.match(await rows.innerText(), new RegExp(virtual));
    // Offered as soon as a filter is set, and only then.
    const clear = page.getByRole('button', { name: 'Clear filters' });
    await clear.press('Enter');
    await page.getByText('200 of 201 robots shown.').waitFor();
    assert.equal(await clear.count(), 0);
    await page.getByRole('button', { name: 'room=r7', exact: true }).first().press('Enter');
    await page.getByText('5 of 201 robots shown.').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('label'), 'room=r7');
    await page.getByLabel('Search robots').fill('no such name');
    await page.getByText('No robot matches.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
    await page.getByText('200 of 201 robots shown.').waitFor();

    // The menu of a row offers what the menu of a card does.
    await page.goto(`/robots?search=${ids[7]}`);
    await page.getByText('1 of 201 robots shown.').waitFor();
    const more = rows.getByRole('button', { name: 'Actions for A robot with quite a long name, number 8', exact: true });
    await more.press('ArrowUp');
    assert.deepEqual(await page.getByRole('menuitem').allInnerTexts(), ['Settings', 'Rename', 'Remove']);
    await page.getByRole('menuitem', { name: 'Remove' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await more.and(page.locator(':focus')).waitFor();
    await more.press('Enter');
    await page.getByRole('menuitem', { name: 'Settings' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Name').fill('Number eight');
    await page.getByRole('dialog').getByLabel('Name').press('Enter');
    const renamed = rows.getByRole('button', { name: 'Actions for Number eight' });
    await renamed.and(page.locator(':focus')).waitFor();
    await renamed.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    assert.equal(new URL(page.url()).pathname, `/robots/${ids[7]}/settings`);
    await page.goto('/robots');
    await page.getByRole('radio', { name: 'Cards' }).press('Space');
    await page.locator('.robot-card').first().waitFor();
    await page.reload();
    await page.locator('.robot-card').first().waitFor();
  });

  it('a card of the list reads the picture on its robot only once it is scrolled into view', async () => {
    const user = await visit({ width: 360 });
    const { page } = user;
    const { email } = await user.signUp();
    const { store } = system();
    const account = (await store.accounts.findByEmail(email))!.id;
    for (let i = 1; i <= 8; i++) {
      const { robot: id, token } = await store.robots.create({ account, name: `Robot ${i}` });
      const robot = new VirtualRobot({ url: system().link(), token });
      system().keep(robot);
      await robot.start();
      await user.call('POST', `/console/v1/robots/${id}/show`, { title: `Card ${i}` });
    }
    const read: string[] = [];
    page.on('request', (request) => void (request.url().includes('/screen?') && read.push(request.url())));
    await page.goto('/robots');
    const cards = page.locator('.robot-card');
    await cards.first().locator('.screen-picture').waitFor();
    await page.waitForRequest(/\/console\/shown/);
    const last = await cards.last().locator('code, .mono').innerText();
    assert.ok(!read.some((url) => url.includes(last)), 'the last card is far below the window');
    await cards.last().scrollIntoViewIfNeeded();
    await cards.last().locator('.screen-picture').waitFor();
  });
});
