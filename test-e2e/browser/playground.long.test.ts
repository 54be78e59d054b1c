import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { questionShown } from '../fixture/robots/question.js';
import { answerOf, choose, focused, press } from './fixture/action-form.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { openDeskRobot } from './fixture/desk-robot.js';

onBrowserSystem('the robot page', ({ system, visit }) => {
  const opened = () => openDeskRobot({ system, visit });

  it('a waiting question ends with its call, and other actions run beside it', async () => {
    const { page, robot } = await opened();
    await choose(page, 'ask');
    await page.getByRole('textbox', { name: 'timeout_s' }).fill('120');
    await press(page, 'Run ask');
    await questionShown(robot);
    await choose(page, 'face');
    await press(page, 'Run face');
    await answerOf(page).getByText('200 OK').waitFor();
    await page.getByRole('radio', { name: 'ask running' }).waitFor();
    await choose(page, 'ask');
    await answerOf(page).getByRole('button', { name: 'Cancel' }).click();
    await answerOf(page).getByText('A question that it asked is gone').waitFor();
    await robot.until(({ screen }) => screen.question === null, { what: 'the question to go' });
  });

  it('a validation error of the service appears at its field, which gets the focus, and nothing typed is lost', async () => {
    const { page } = await opened();
    await choose(page, 'ask');
    await page.getByRole('textbox', { name: 'question' }).fill('Lunch?');
    await page.getByRole('textbox', { name: 'answers[1]' }).fill('');
    await page.getByRole('textbox', { name: 'timeout_s' }).fill('300');
    await press(page, 'Run ask');
    const wrong = page.locator('.playground [aria-invalid=true]');
    await until(async () => ((await focused(page)) === 'argument-answers-1-' ? true : null), { what: 'the focus at the answer' });
    assert.equal(await wrong.count(), 1);
    assert.match(await page.locator('.field-error').innerText(), /^At least 1 character/);

    await page.getByRole('textbox', { name: 'answers[1]' }).fill('No');
    await press(page, 'Run ask');
    await until(async () => ((await focused(page)) === 'argument-timeout_s' ? true : null), { what: 'the focus at the time-out' });
    assert.match(await page.locator('.field-error').innerText(), /^At most 120/);
    await page.getByRole('textbox', { name: 'timeout_s' }).fill('soon');
    await press(page, 'Run ask');
    await page.getByText('soon is not a number').waitFor();

    await choose(page, 'command');
    await page.getByRole('textbox', { name: 'args' }).fill('{ "pct": ');
    await choose(page, 'ask');
    await page.reload();
    assert.equal(await page.getByRole('textbox', { name: 'question' }).inputValue(), 'Lunch?');
    assert.equal(await page.getByRole('textbox', { name: 'timeout_s' }).inputValue(), 'soon');
    await choose(page, 'command');
    assert.equal(await page.getByRole('textbox', { name: 'args' }).inputValue(), '{ "pct": ');
  });

  it('the feed shows events at once, filtered by the chosen kinds, and readings update by themselves', async () => {
    const { page, robot } = await opened();
    const feed = page.getByRole('log', { name: 'Events, newest first' });
    await feed.getByText('connected').waitFor();
    await robot.pat();
    await feed.getByText('pat', { exact: true }).waitFor();
    await robot.tap(10, 20);
    await feed.getByText('x 10, y 20').waitFor();
    assert.deepEqual(await feed.locator('code').allInnerTexts(), ['tap', 'pat', 'connected']);
    await page.getByText('All kinds').click();
    await press(page, 'Screen');
    assert.deepEqual(await feed.locator('code').allInnerTexts(), ['pat', 'connected']);
    robot.setReading('battery_pct', 33);
    robot.reportNow();
    await page.locator('.readings').getByText('33 %').waitFor();
  });
});
