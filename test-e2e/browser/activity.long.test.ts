import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Person, VirtualRobot } from '@perch/virtual-robot';
import type { Locator } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import type { BrowserUser } from './fixture/browser-user.js';

onBrowserSystem('the activity on the web page', ({ system, visit }) => {
  const persons: Person[] = [];
  after(() => {
    for (const person of persons) person.stop();
  });
  const rows = ({ page }: BrowserUser): Locator => page.getByRole('list', { name: 'Activity' }).getByRole('listitem');

  async function choose({ page }: BrowserUser, filter: string, option: string): Promise<void> {
    await page.getByRole('button', { name: new RegExp(`${filter}$`) }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  }

  async function setUp(user: BrowserUser): Promise<{ act: (action: string, args: object) => Promise<any> }> {
    await user.signUp();
    const { account } = await user.call('GET', '/console/session');
    const { robot, token } = await system().store.robots.create({ account: account.id, name: 'Desk' });
    const body = new VirtualRobot({ url: system().link(), token });
    system().keep(body);
    await body.start();
    const person = new Person(body, { thinkMs: 50, againMs: 100 });
    persons.push(person);
    const { api_key } = await user.call('POST', '/console/keys', { name: 'laptop', robots: '*' });
    const act = async (action: string, args: object): Promise<any> => {
      const response = await fetch(`${system().gateway()}/v1/robots/${robot}/${action}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
        body: JSON.stringify(args),
      });
      return response.json();
    };
    return { act };
  }

  it('calls and changes appear by themselves, with the answer that was tapped, and filters in the address narrow them down', async () => {
    const user = await visit();
    const { page } = user;
    const { act } = await setUp(user);
    await page.goto('/');
    await page.getByRole('link', { name: 'Activity' }).click();
    await rows(user).filter({ hasText: 'Create key' }).waitFor();
    await rows(user).filter({ hasText: 'Create account' }).waitFor();

    const { answer } = await act('ask', { question: 'Ship the <b>build</b>?', answers: ['Ship', 'Wait'], timeout_s: 20 });
    await act('face', { emotion: 'green' });
    const asked = rows(user).filter({ hasText: 'Ship the <b>build</b>?' });
    await asked.waitFor();
    const text = (await asked.innerText()).replaceAll(/\s+/g, ' ');
    for (const part of ['Ask', 'Answered', 'Desk', 'laptop', `Answer: ${answer}`, 'Tapped after', 'Took']) assert.ok(text.includes(part), text);
    await rows(user).filter({ hasText: 'Bad argument' }).waitFor();

    await choose(user, 'Robot', 'Desk');
    await rows(user).filter({ hasText: 'Create account' }).waitFor({ state: 'detached' });
    await asked.waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rows(user).filter({ hasText: 'Create account' }).waitFor();
    await choose(user, 'Robot', 'Desk');
    await rows(user).filter({ hasText: 'Create account' }).waitFor({ state: 'detached' });
    await choose(user, 'Action', 'Ask');
    await rows(user).filter({ hasText: 'Bad argument' }).waitFor({ state: 'detached' });
    assert.equal(await rows(user).count(), 1);
    await page.goto('/activity');
    await rows(user).filter({ hasText: 'Create account' }).waitFor();
    await choose(user, 'Outcome', 'All errors');
    await asked.waitFor({ state: 'detached' });
    await rows(user).filter({ hasText: 'Change the face' }).waitFor();
    assert.equal(await rows(user).count(), 1);
    // The browser reports a changed address later than the changed page.
    await page.waitForURL('**/activity?outcome=refused');
    await page.reload();
    await rows(user).filter({ hasText: 'Change the face' }).waitFor();
    await choose(user, 'Key', 'Web page');
    await page.getByText('Nothing matches').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await asked.waitFor();
    await page.waitForURL('**/activity');
  });

  it('filters that are chosen one directly after the other are all kept', async () => {
    const user = await visit();
    const { page } = user;
    await setUp(user);
    await page.goto('/activity');
    await rows(user).first().waitFor();
    // Slower than any hand could choose: the page has no time to render between the two.
    await page.evaluate(`(() => {
      const setter = Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set;
      for (const [index, value] of [[0, 'changes'], [4, 'ok']]) {
        const select = document.querySelectorAll('.activity-filters select')[index];
        setter.call(select, value);
        select.dispatchEvent(new Event('change', { bubbles: true }));
      }
    })()`);
    await page.waitForURL('**/activity?kind=changes&outcome=ok');
  });

  it('a chosen filter keeps the earlier list, dimmed, until its entries are there', async () => {
    const user = await visit();
    const { page } = user;
    const { act } = await setUp(user);
    await act('face', { emotion: 'green' });
    await page.goto('/activity');
    await rows(user).filter({ hasText: 'Bad argument' }).waitFor();
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/console\/v1\/activity\?.*outcome=/, async (route) => {
      await released;
      await route.continue();
    });
    await choose(user, 'Outcome', 'All errors');
    await page
      .locator('[aria-busy="true"]')
      .filter({ has: rows(user).filter({ hasText: 'Create key' }) })
      .waitFor();
    assert.equal(await page.getByRole('status', { name: 'Loading the activity' }).count(), 0);
    release();
    await rows(user).filter({ hasText: 'Create key' }).waitFor({ state: 'detached' });
    await rows(user).filter({ hasText: 'Bad argument' }).waitFor();
    assert.equal(await page.locator('[aria-busy="true"]').count(), 0);
  });

  it('earlier entries are loaded on request, and the export has what the filter selects', async () => {
    const user = await visit();
    const { page } = user;
    const { act } = await setUp(user);
    for (let at = 0; at < 55; at++) {
      await act('face', { emotion: at % 2 === 0 ? 'happy' : 'sad' });
      if (at >= 25) await new Promise((resolve) => setTimeout(resolve, 110));
    }
    await page.goto('/activity?action=face');
    await page.getByRole('button', { name: 'Load earlier' }).click();
    await rows(user).nth(54).waitFor();
    await page.getByRole('button', { name: 'Load earlier' }).waitFor({ state: 'detached' });
    assert.equal(await rows(user).count(), 55);

    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export CSV' }).click()]);
    assert.match(download.suggestedFilename(), /^perch-activity-.*\.csv$/);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    assert.equal(lines.length, 56);
    assert.ok(lines.slice(1).every((line) => line.includes(',face,ok,')));
    const [asJson] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export JSON' }).click()]);
    assert.match(asJson.suggestedFilename(), /^perch-activity-.*\.json$/);
    const entries = JSON.parse(await readFile(await asJson.path(), 'utf8')) as { action: string }[];
    assert.equal(entries.length, 55);
    assert.ok(entries.every(({ action }) => action === 'face'));
  });

  it('usage is counted by key and day', async () => {
    const user = await visit({ theme: 'dark', width: 360 });
    const { page } = user;
    const { act } = await setUp(user);
    await act('ask', { question: 'Tea?', answers: ['Yes', 'No'], timeout_s: 20 });
    await act('face', { emotion: 'green' });
    await page.goto('/activity');
    await page.getByText('Usage', { exact: true }).click();
    const laptop = page.getByRole('listitem').filter({ hasText: 'laptop' }).filter({ hasText: 'Calls' });
    await laptop.waitFor();
    const text = (await laptop.innerText()).replaceAll(/\s+/g, ' ');
    assert.match(text, /Calls 2 Errors 1 Questions 1 Answered 1 \(100 %\) Median time to tap [\d.]+ m?s/);
  });
});
