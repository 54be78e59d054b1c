import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { halves } from '../fixture/media/pictures.js';
import { questionShown, waitArmed, left } from '../fixture/robots/question.js';
import { answerOf, choose, clickOn, dragOn, focused, press, regionsOf, snippet } from './fixture/action-form.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { openDeskRobot } from './fixture/desk-robot.js';

onBrowserSystem('the robot page', ({ system, visit }) => {
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
      await robot.tap(...left);
      assert.match(await answered(action), /"outcome": "answered"/, action);
    }
    assert.equal(new Set(ran).size, await page.getByRole('radiogroup', { name: 'Action' }).getByRole('radio').count());
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
    await page.getByRole('checkbox', { name: 'whole' }).check({ force: true });
    await press(page, 'Run ask');
    await answerOf(page).getByText('400 not_whole').waitFor();
    await until(async () => ((await focused(page)) === 'argument-question' ? true : null), { what: 'the focus at the question' });
  });

  it('cards and questions enter the queue from their forms, with priority, expiry and time, and the page says at which place', async () => {
    const { page, robot, id } = await opened();
    await choose(page, 'ask');
    await press(page, 'Run ask');
    await questionShown(robot);
    await choose(page, 'show');
    const fill = (name: string, text: string): Promise<void> => page.getByRole('textbox', { name, exact: true }).fill(text);
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
      title: 'Build',
      text: '42 %',
      note: '3 min left',
      color: 'green',
      progress: 0.42,
      queue: true,
      priority: 3,
      expires_s: 300,
      for_s: 20,
    });
    await robot.tap(...left);
    await robot.until(({ screen }) => screen.card !== null, { what: 'the card of the queue', timeoutMs: 20_000 });
  });

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
    await answerOf(page).getByText('A pending question was removed').waitFor();
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

  it('a picture from a file shows its sizes, is sent, and appears on the drawn robot', async () => {
    const { page, robot } = await opened();
    await choose(page, 'show');
    await press(page, 'Clear form');
    const png = Buffer.from(halves(640, 480, '#ff0000', '#0000ff'), 'base64');
    await page.getByLabel('image', { exact: true }).setInputFiles({ name: 'halves.png', mimeType: 'image/png', buffer: png });
    await page.getByText(`halves.png: ${Math.ceil(png.length / 1024)} KB`).waitFor();
    await press(page, 'Run show');
    await answerOf(page).getByText('200 OK').waitFor();
    await robot.until(({ screen }) => screen.card !== null, { what: 'the picture' });
    await page.locator('.snapshot-stage image.screen-picture').waitFor();
    await page.getByLabel('image', { exact: true }).setInputFiles({ name: 'huge.png', mimeType: 'image/png', buffer: Buffer.alloc(1_300_000) });
    await page.getByText(/huge\.png is 1,733,336 characters long/).waitFor();
    await page.getByText(`halves.png: ${Math.ceil(png.length / 1024)} KB`).waitFor();
    // The robot's state is saved once the card has shown for 10 s.
    await page.goto('/robots');
    await page.locator('.robot-face image.screen-picture').waitFor();
  });

  it('regions are drawn with the pointer, keys and numbers, and can be tapped', async () => {
    const { page, robot, id } = await opened();
    await choose(page, 'clickmap');
    await press(page, 'Clear form');
    const canvas = page.locator('.region-canvas');
    await canvas.scrollIntoViewIfNeeded();
    await dragOn(page, canvas, [20, 30], [120, 130]);
    await page.getByText('Circle', { exact: true }).click();
    await dragOn(page, canvas, [220, 120], [220, 170]);
    await page.getByText('Polygon', { exact: true }).click();
    for (const corner of [
      [150, 10],
      [190, 10],
      [170, 60],
      [150, 10],
    ] as const)
      await clickOn(page, canvas, corner);
    await page.getByRole('textbox', { name: 'regions[2].id' }).fill('nose');
    assert.deepEqual(await regionsOf(page), [
      { id: 'region-1', rect: [20, 30, 100, 100] },
      { id: 'region-2', circle: [220, 120, 50] },
      {
        id: 'nose',
        polygon: [
          [150, 10],
          [190, 10],
          [170, 60],
        ],
      },
    ]);

    await page.getByRole('textbox', { name: 'regions[1].circle r' }).fill('30');
    await canvas.getByRole('button', { name: /^region-1/ }).focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('ArrowLeft');
    await canvas.getByRole('button', { name: /^nose/ }).focus();
    await page.keyboard.press('Delete');
    await press(page, 'Add region');
    assert.deepEqual((await regionsOf(page)).slice(0, 2), [
      { id: 'region-1', rect: [19, 40, 100, 100] },
      { id: 'region-2', circle: [220, 120, 30] },
    ]);
    await press(page, 'Run clickmap');
    await waitArmed(system(), id, robot);
    await robot.tap(225, 125);
    await answerOf(page).getByText('200 OK').waitFor();
    assert.match(await answerOf(page).getByRole('region').innerText(), /"region": "region-2"/);
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
