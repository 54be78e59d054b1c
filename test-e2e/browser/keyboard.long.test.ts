import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { VirtualRobot } from '@perch/virtual-robot';
import type { Page } from 'playwright-core';
import { questionShown, left } from '../fixture/robots/question.js';
import { onBrowserSystem } from './fixture/browser-suite.js';

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
