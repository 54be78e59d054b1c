import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { left, questionShown } from '../fixture/robots/question.js';
import { answerOf, choose, focused, openMore, press, snippet } from './fixture/action-form.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { openDeskRobot } from './fixture/desk-robot.js';

onBrowserSystem('the queue and whole texts in the playground', ({ system, visit }) => {
  const opened = () => openDeskRobot({ system, visit });

  it('cards and questions enter the queue from their forms, with priority, expiry and time, and the page says at which place', async () => {
    const { page, robot, id } = await opened();
    await choose(page, 'ask');
    await press(page, 'Run ask');
    await questionShown(robot);
    await choose(page, 'show');
    const fill = (name: string, text: string): Promise<void> => page.getByRole('textbox', { name, exact: true }).fill(text);
    await openMore(page);
    await fill('priority', '3');
    await press(page, 'Run show');
    await page.getByText('belongs to queue: true').first().waitFor();
    await page.getByRole('checkbox', { name: 'queue' }).check({ force: true });
    await fill('expires_s', '300');
    await fill('for_s', '20');
    await press(page, 'Run show');
    await answerOf(page).getByText('at place 1').waitFor();
    assert.deepEqual(JSON.parse(await snippet(page, 'MCP')).params.arguments, {
      robot: id,
      text: '21 °C',
      title: 'Outside',
      icon: 'cloud-sun',
      queue: true,
      priority: 3,
      expires_s: 300,
      for_s: 20,
    });
    await robot.tap(...left);
    await robot.until(({ screen }) => screen.card !== null, { what: 'the card of the queue' });
  });

  it('the page says what a person does not see as it was sent, and shows a question that has to be whole as refused', async () => {
    const { page } = await opened();
    const long = 'word '.repeat(200);
    await choose(page, 'show');
    await page.getByRole('textbox', { name: 'text', exact: true }).fill(long);
    await press(page, 'Run show');
    await answerOf(page).getByText('Cut on the screen: text').waitFor();

    await choose(page, 'ask');
    await page.getByRole('textbox', { name: 'question' }).fill(long);
    await openMore(page);
    await page.getByRole('checkbox', { name: 'whole' }).check({ force: true });
    await press(page, 'Run ask');
    await answerOf(page).getByText('400 not_whole').waitFor();
    await until(async () => ((await focused(page)) === 'argument-question' ? true : null), { what: 'the focus at the question' });
  });
});
