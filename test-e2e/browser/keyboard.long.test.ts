import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { VirtualRobot } from '@perch/virtual-robot';
import type { Locator, Page } from 'playwright-core';
import { questionShown, left } from '../fixture/robots/question.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { PageRobot } from './fixture/page-robot.js';

/** More Tab stops than any page has. */
const stopsMax = 80;

onBrowserSystem('the keyboard alone', ({ system, visit }) => {
  it('the keyboard alone leads from signing in to an answered question, and every stop shows its focus', async () => {
    const user = await visit();
    const { page } = user;
    const { email, password } = await user.signUp();
    const { account } = await user.call('GET', '/console/session');
    const { robot: id, token } = await system().store.robots.create({ account: account.id, name: 'Desk' });
    const robot = new VirtualRobot({ url: system().link(), token });
    system().keep(robot);
    await robot.start();
    await user.call('DELETE', '/console/session');

    await page.goto('/');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await tabTo(page, 'E-mail');
    await page.keyboard.type(email);
    await tabTo(page, 'Password');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Desk' }).waitFor();
    await tabTo(page, 'Desk');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/robots/${id}`);
    await page.getByRole('radiogroup', { name: 'Action' }).waitFor();
    await tabTo(page, 'ask');
    await page.keyboard.press('ArrowRight');
    assert.equal((await focused(page)).name, 'menu');
    await page.keyboard.press('ArrowLeft');
    await tabTo(page, 'Run ask');
    await page.keyboard.press('Enter');
    await questionShown(robot);
    const answer = page.getByRole('region', { name: 'response of ask' });
    await until(
      async () => {
        await robot.tap(...left);
        return answer.isVisible();
      },
      { what: 'the answer', everyMs: 300 },
    );
    assert.match(await answer.innerText(), /"answer": "Tea"/);
  });

  it('the answers of a question are buttons on the screen of a virtual robot, which answer it', async () => {
    const pip = await PageRobot.open(visit);
    const asked = pip.act('ask', { question: 'Tea or coffee?', answers: ['Tea', 'Coffee, black'], timeout_s: 60 });
    const answer = pip.page.getByRole('button', { name: 'Coffee, black', exact: true });
    await answer.focus();
    await pip.page.getByRole('group', { name: /which says: “Tea or coffee\? Answers: Tea, Coffee, black\.”/ }).waitFor();
    // A touch counts from a moment after the picture is on the screen.
    await until(async () => {
      if ((await answer.count()) === 0) return true;
      await answer.press('Enter', { timeout: 2000 }).catch(() => undefined);
      return false;
    });
    assert.deepEqual([(await asked).outcome, (await asked).answer], ['answered', 'Coffee, black']);
    await answer.waitFor({ state: 'detached' });
  });

  it('with forced colours, the current page, action, choice and menu entry look different from the others', async () => {
    const user = await visit({ own: true });
    const { page } = user;
    await page.emulateMedia({ forcedColors: 'active' });
    await user.signUp();
    const { robot } = await user.call('POST', '/console/robots', { virtual: true, name: 'Desk' });
    // Forced colours keep these, and remove shadows and the backgrounds of the page.
    const looks = (part: Locator): Promise<string> =>
      part.evaluate((element) => {
        const styles = globalThis as unknown as { getComputedStyle(of: unknown): Record<string, string> };
        const { backgroundColor, outlineStyle, outlineColor, borderTopStyle, borderTopColor } = styles.getComputedStyle(element);
        return JSON.stringify([backgroundColor, outlineStyle, outlineStyle === 'none' || outlineColor, borderTopStyle === 'none' || borderTopColor]);
      });
    const differ = async (chosen: Locator, other: Locator): Promise<void> => assert.notEqual(await looks(chosen), await looks(other), String(chosen));

    await page.goto(`/robots/${robot.id}`);
    const pages = page.getByRole('navigation', { name: 'Pages' });
    await differ(pages.getByRole('link', { name: 'Robots' }), pages.getByRole('link', { name: 'Keys' }));
    const action = (name: string): Locator => page.locator('.action-choice').filter({ hasText: new RegExp(`^${name}$`) });
    await page.getByRole('button', { name: 'Run ask' }).waitFor();
    await differ(action('ask'), action('show'));
    await page.goto(`/robots/${robot.id}/settings`);
    const segment = (name: string): Locator => page.locator('.segment').filter({ hasText: name });
    await differ(segment('Watch'), segment('Use'));
    const tick = page.locator('.choice-tick > svg');
    await tick.waitFor({ state: 'hidden' });
    await page.getByText('No sound or speech at certain hours').click();
    await tick.waitFor({ state: 'visible' });
    await page.goto('/robots');
    await page.getByRole('button', { name: 'Actions for Desk' }).click();
    await page.getByRole('menuitem', { name: 'Settings' }).hover();
    await differ(page.getByRole('menuitem', { name: 'Settings' }), page.getByRole('menuitem', { name: 'Remove' }));
  });
});

/** Presses Tab until the element of this name has the focus. Every stop on the way must show that it has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let stop = 0; stop < stopsMax; stop++) {
    const at = await focused(page);
    if (at.name === name) return;
    await page.keyboard.press('Tab');
    const now = await focused(page);
    passed.push(now.name);
    assert.ok(now.seen, `nothing shows that ${now.name} has the focus`);
  }
  assert.fail(`no stop named ${name}: ${passed.join(', ')}`);
}

/** Returns the focused element: its approximate accessible name, and whether it, or the element that stands for it, has an outline. */
async function focused(page: Page): Promise<{ name: string; seen: boolean }> {
  return (await page.evaluate(`(() => {
    const at = document.activeElement;
    if (at === null || at === document.body) return { name: '', seen: true };
    const labels = [at.getAttribute('aria-label'), ...[...(at.labels ?? [])].map((label) => label.innerText), at.innerText, at.value];
    const name = (labels.find((label) => label != null && label.trim() !== '') ?? '').trim();
    const shows = (element, part) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element, part);
      return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
    };
    let seen = false;
    for (let element = at, up = 0; element !== null && up < 3; element = element.parentElement, up++)
      seen ||= [null, '::before', '::after'].some((part) => shows(element, part));
    return { name, seen };
  })()`)) as { name: string; seen: boolean };
}
