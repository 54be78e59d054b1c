import assert from 'node:assert/strict';
import { left, waitArmed } from '../fixture/robots/question.js';
import { answerOf, choose, press } from './fixture/action-form.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { openDeskRobot } from './fixture/desk-robot.js';

onBrowserSystem('the actions of the playground', ({ system, visit }) => {
  const opened = () => openDeskRobot({ system, visit });

  it('every action runs from its form with the initial values, and the page shows what the robot does', async function () {
    this.timeout(240_000);
    const { page, robot, id } = await opened();
    const ran: string[] = [];
    const runs = async (action: string): Promise<string> => {
      await choose(page, action);
      await press(page, `Run ${action}`);
      return action;
    };
    const answered = async (action: string): Promise<string> => {
      await answerOf(page).getByText('200 OK').waitFor();
      ran.push(action);
      return answerOf(page).getByRole('region').innerText();
    };

    await runs('say');
    await answered('say');
    await page
      .getByRole('img', { name: /saying: “Good morning!”/ })
      .first()
      .waitFor();
    for (const action of ['face', 'move', 'leds', 'sound', 'command', 'events', 'scene', 'stop', 'speak', 'show']) await answered(await runs(action));
    assert.deepEqual([robot.face.emotion, robot.leds.effect?.name ?? 'off', robot.own.brightness], ['happy', 'off', 60]);
    await page
      .getByRole('img', { name: /Its screen shows a picture/ })
      .first()
      .waitFor();
    assert.match(await answered(await runs('state')), /"online": true/);

    for (const action of ['ask', 'menu', 'clickmap']) {
      await runs(action);
      await waitArmed(system(), id, robot);
      if (action !== 'clickmap') {
        // A screen reader hears the question, too.
        const name = action === 'ask' ? /shows a picture, which says: “.+ Answers: .+\.”/ : /shows a picture, which says: “.*Tiles: .+\.”/;
        await page.getByRole('img', { name }).first().waitFor();
      }
      await robot.tap(...left);
      assert.match(await answered(action), /"outcome": "answered"/, action);
    }
    assert.equal(new Set(ran).size, await page.getByRole('radiogroup', { name: 'Action' }).getByRole('radio').count());
  });
});
