/** Run, response and request of the playground: where they are, and that one press is one call. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type { Page, Request } from 'playwright-core';
import { questionShown } from '../fixture/robots/question.js';
import { answerOf, choose, openMore } from './fixture/action-form.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { openDeskRobot } from './fixture/desk-robot.js';

onBrowserSystem('Run in the playground', ({ system, visit }) => {
  for (const [width, height] of [
    [1280, 800],
    [360, 740],
  ] as const) {
    it(`Run, response and request are in view for every action, wherever its form is scrolled (${width} x ${height})`, async function () {
      this.timeout(240_000);
      const { page } = await openDeskRobot({ system, visit }, { width, height }, '?action=show');
      await page.getByRole('button', { name: 'Run show', exact: true }).waitFor();
      assert.equal(await page.evaluate('scrollY'), 0);
      assert.deepEqual(await hiddenParts(page), [], 'as the page opens');
      const actions = await page.getByRole('radiogroup', { name: 'Action' }).getByRole('radio').evaluateAll(valuesOf);
      assert.equal(actions.length, 15);
      for (const action of actions) {
        await choose(page, action);
        await page.getByRole('button', { name: `Run ${action}`, exact: true }).waitFor();
        assert.deepEqual(await hiddenParts(page), [], action);
        await openMore(page);
        for (const share of [0, 0.5, 1]) {
          await page.evaluate(`(() => {
            const { top, height } = document.querySelector('.action-form').getBoundingClientRect();
            scrollTo(0, scrollY + top + height * ${share} - innerHeight / 3);
          })()`);
          assert.deepEqual(await hiddenParts(page), [], `${action}, scrolled by ${share} of its form`);
        }
      }
      await choose(page, 'state');
      await page.getByRole('button', { name: 'Run state', exact: true }).click();
      await answerOf(page).getByText('200 OK').waitFor();
      assert.deepEqual(await hiddenParts(page), [], 'with a long response');
    });
  }

  it('a double click on Run is one call with an Idempotency-Key, and a press within half a second after its end does nothing', async () => {
    const { page } = await openDeskRobot({ system, visit }, {}, '?action=leds');
    const sent = calls(page, 'leds');
    const run = page.getByRole('button', { name: 'Run leds', exact: true });
    await run.waitFor();
    // Pressed at once when the response is shown, as the second press of a slow double click.
    await page.evaluate(`new MutationObserver((_, observer) => {
      if (!document.querySelector('.dock').innerText.includes('200 OK')) return;
      observer.disconnect();
      window.endedAt = performance.now();
      document.querySelector('.dock .button-primary').click();
    }).observe(document.querySelector('.dock'), { subtree: true, childList: true, characterData: true })`);
    await run.dblclick();
    await answerOf(page).getByText('200 OK').waitFor();
    await until(async () => ((await page.evaluate('window.endedAt')) === undefined ? null : true), { what: 'the press after the response' });
    assert.equal(sent.length, 1);
    assert.match(sent[0]!.headers()['idempotency-key'] ?? '', /^[0-9a-f]{32}$/);
    await until(
      async () => {
        await run.click();
        return sent.length > 1 ? true : null;
      },
      { what: 'the next call' },
    );
    // The browser lists a call once it has ended.
    const starts = `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/leds')).map(({ startTime }) => startTime - endedAt)`;
    const [, waited = 0] = await until(
      async () => {
        const all = (await page.evaluate(starts)) as number[];
        return all.length > 1 ? all : null;
      },
      { what: 'the end of the next call' },
    );
    assert.ok(waited > 400, `${waited} ms after the end of the first call`);
    const keys = sent.map((request) => request.headers()['idempotency-key']);
    assert.equal(new Set(keys).size, keys.length);
  });

  it('Cancel is another button away from Run, and a press of Run while the question waits asks no other', async () => {
    const { page, robot } = await openDeskRobot({ system, visit }, {}, '?action=ask');
    const sent = calls(page, 'ask');
    const run = page.getByRole('button', { name: 'Run ask', exact: true });
    await run.dblclick();
    await questionShown(robot);
    await run.click({ force: true });
    await page.keyboard.press('Control+Enter');
    assert.equal(await run.getAttribute('aria-disabled'), 'true');
    const cancel = answerOf(page).getByRole('button', { name: 'Cancel' });
    const [one, other] = [(await run.boundingBox())!, (await cancel.boundingBox())!];
    assert.ok(other.y >= one.y + one.height || other.x >= one.x + one.width + 100, JSON.stringify([one, other]));
    await cancel.click();
    await answerOf(page).getByText('A question that it asked is gone').waitFor();
    await robot.until(({ screen }) => screen.question === null, { what: 'the question to go' });
    assert.equal(sent.length, 1);
  });

  it('Cancel takes a question out of the queue: its call has no Idempotency-Key, with which it would go on', async () => {
    const { page, robot, id } = await openDeskRobot({ system, visit }, {}, '?action=menu');
    await page.getByRole('button', { name: 'Run menu', exact: true }).click();
    await questionShown(robot);
    await choose(page, 'ask');
    await openMore(page);
    await page.getByRole('checkbox', { name: 'queue' }).check({ force: true });
    const sent = calls(page, 'ask');
    await page.getByRole('button', { name: 'Run ask', exact: true }).click();
    const { queue } = system().store;
    await until(async () => ((await queue.list(id)).length === 1 ? true : null), { what: 'the question in the queue' });
    await answerOf(page).getByRole('button', { name: 'Cancel' }).click();
    await until(async () => ((await queue.list(id)).length === 0 ? true : null), { what: 'the question to leave the queue' });
    assert.equal(sent[0]!.headers()['idempotency-key'], undefined);
  });

  it('a question goes with the page that asked it, though its call has an Idempotency-Key', async () => {
    const { page, robot } = await openDeskRobot({ system, visit }, { own: true }, '?action=ask');
    await page.getByRole('button', { name: 'Run ask', exact: true }).click();
    await questionShown(robot);
    await page.goto('/keys');
    await robot.until(({ screen }) => screen.question === null, { what: 'the question to go' });
  });

  it('the keys that run an action are shown beside the button and work everywhere in the form, once for a key that is held', async () => {
    const { page } = await openDeskRobot({ system, visit }, {}, '?action=say');
    const sent = calls(page, 'say');
    await page.getByText('Ctrl', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'text' }).focus();
    await page.keyboard.down('Control');
    for (let i = 0; i < 3; i++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.keyboard.up('Control');
    await answerOf(page).getByText('200 OK').waitFor();
    assert.equal(sent.length, 1);
  });
});

function calls(page: Page, action: string): Request[] {
  const sent: Request[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith(`/${action}`)) sent.push(request);
  });
  return sent;
}

const valuesOf = (inputs: unknown[]): string[] => (inputs as { value: string }[]).map(({ value }) => value);

/** Returns the parts that are not wholly in view, or lie under another element. */
async function hiddenParts(page: Page): Promise<string[]> {
  return (await page.evaluate(`[
    ['Run', '.dock .button-primary'],
    ['Response', '[aria-label="Response"]'],
    ['Request', '[aria-label="Request"]'],
  ].flatMap(([name, selector]) => {
    const part = document.querySelector(selector);
    if (part === null) return [name + ' is missing'];
    const { left, top, right, bottom } = part.getBoundingClientRect();
    if (top < 0 || left < 0 || bottom > innerHeight || right > innerWidth) return [name + ' is out of view: ' + [left, top, right, bottom]];
    const covered = [top + 2, (top + bottom) / 2, bottom - 2].filter((y) => !part.contains(document.elementFromPoint((left + right) / 2, y)));
    return covered.length === 0 ? [] : [name + ' is covered'];
  })`)) as string[];
}
