import assert from 'node:assert/strict';
import { pair, VirtualRobot, type UserCode } from '@perch/virtual-robot';
import { left, waitArmed } from '../fixture/robots/question.js';
import { onBrowserSystem } from './fixture/browser-suite.js';

onBrowserSystem('robots on the web page', ({ system, visit }) => {
  it('a robot is added by the code on its screen, comes online without a reload, and its menu leads to its settings, renames and removes it', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    await page.goto('/robots');
    const pairing = new AbortController();
    const address = system().link().replace(/^ws/, 'http').replace('/robot/v1/link', '');
    let paired: ReturnType<typeof pair> | undefined;
    try {
      const { userCode } = await new Promise<UserCode>((resolve, reject) => {
        paired = pair(address, { serial: `S${Date.now()}`, onCode: resolve, signal: pairing.signal });
        paired.catch(reject);
      });
      await page.getByRole('button', { name: 'I have a robot' }).click();
      await page.getByLabel('Code on the screen of the robot').fill(userCode.toLowerCase().replace('-', ''));
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('dialog').getByText('stackchan-k151').waitFor();
      await page.getByLabel('Name').fill('Desk');
      await page.getByRole('button', { name: 'Add robot' }).click();
      await page.getByRole('heading', { name: 'Desk', level: 1 }).waitFor();

      const { robotId, token } = await paired!;
      const robot = new VirtualRobot({ url: system().link(), token });
      system().keep(robot);
      await page.goto('/robots');
      const card = page.getByRole('listitem').filter({ hasText: robotId });
      await card.getByText('Never connected').waitFor();
      await robot.start();
      await card.getByText('Online', { exact: true }).waitFor();

      await card.getByRole('button', { name: 'Actions for Desk' }).click();
      await page.getByRole('menuitem', { name: 'Rename' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Shelf');
      await page.getByRole('button', { name: 'Rename' }).click();
      await card.getByRole('heading', { name: 'Shelf' }).waitFor();

      await card.getByRole('button', { name: 'Actions for Shelf' }).click();
      await page.getByRole('menuitem', { name: 'Settings' }).click();
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
      assert.equal(new URL(page.url()).pathname, `/robots/${robotId}/settings`);
      await page.goBack();
      await card.getByRole('button', { name: 'Actions for Shelf' }).click();
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      await page.getByRole('button', { name: 'Remove robot' }).click();
      await card.waitFor({ state: 'detached' });
      await robot.until(({ online }) => !online, { what: 'the removed robot to be let go' });
    } finally {
      pairing.abort();
      await paired?.catch(() => undefined);
    }
  });

  it('pairing a robot that the account already has asks for confirmation before replacing it, and keeps its name', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    const address = system().link().replace(/^ws/, 'http').replace('/robot/v1/link', '');
    const pairing = new AbortController();
    const serial = `S${Date.now()}`;
    const begun: Promise<unknown>[] = [];
    const codeOf = (): Promise<UserCode> =>
      new Promise((resolve, reject) => {
        const paired = pair(address, { serial, onCode: resolve, signal: pairing.signal });
        begun.push(paired);
        paired.catch(reject);
      });
    try {
      await user.call('POST', '/console/robots', { code: (await codeOf()).userCode, name: 'Desk' });
      await page.goto(`/pair?code=${(await codeOf()).userCode}`);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('Your account has a robot with this serial: Desk.').waitFor();
      await page.getByRole('button', { name: 'Replace robot' }).click();
      await page.getByRole('heading', { name: 'Desk', level: 1 }).waitFor();
      const { robots } = await user.call('GET', '/console/robots');
      assert.equal(robots.length, 1);
    } finally {
      pairing.abort();
      await Promise.allSettled(begun);
    }
  });

  it('a pairing code that no robot shows is rejected at its field', async () => {
    const user = await visit();
    const { page } = user;
    await user.signUp();
    await page.goto('/pair?code=BCDFGHJK');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Code on the screen of the robot').and(page.locator('[aria-invalid=true]')).waitFor();
    assert.equal(await page.getByLabel('Code on the screen of the robot').inputValue(), 'BCDF-GHJK');
  });

  it('robots of one account appear in no page, stream or call of another account', async () => {
    const [anna, ben] = [await visit(), await visit()];
    await Promise.all([anna.signUp(), ben.signUp()]);
    const { robot } = await anna.call('POST', '/console/robots', { virtual: true, name: 'Of Anna alone' });
    const { robot: other } = await ben.call('POST', '/console/robots', { virtual: true, name: 'Of Ben alone' });
    const heard: string[] = [];
    ben.page.on('response', (response) => {
      if (response.headers()['content-type']?.startsWith('application/json'))
        void response.text().then(
          (text) => heard.push(text),
          () => undefined,
        );
    });
    await ben.page.goto('/robots');
    await ben.page.getByText('Of Ben alone').first().waitFor();
    for (const path of [`/robots/${robot.id}`, `/virtual/${robot.id}`]) {
      await ben.page.goto(path);
      await ben.page
        .getByRole('heading', { name: /No such robot/ })
        .first()
        .waitFor();
      assert.ok(!(await ben.page.content()).includes('Of Anna alone'), path);
    }
    assert.ok(!heard.join('\n').includes('Of Anna alone'));
    for (const [method, path, body] of [
      ['GET', `/console/v1/robots/${robot.id}`],
      ['POST', `/console/v1/robots/${robot.id}/say`, { text: 'hello' }],
      ['GET', `/console/live?robot=${robot.id}`],
      ['GET', `/console/robots/${robot.id}/screen`],
      ['POST', `/console/robots/${robot.id}/token`, {}],
      ['PATCH', `/console/robots/${robot.id}`, { name: 'Mine' }],
      ['DELETE', `/console/robots/${robot.id}`],
    ] as const) {
      await assert.rejects(ben.call(method, path, body), /: 40[34] /, `${method} ${path}`);
    }
    const { robots } = await anna.call('GET', '/console/robots');
    assert.deepEqual(
      robots.map(({ name }: { name: string }) => name),
      ['Of Anna alone'],
    );
    assert.notEqual(robot.id, other.id);
  });

  it('the cards of a list show the face, the bubble, the card and the question of a robot within seconds', async () => {
    const user = await visit();
    const { page } = user;
    const { email } = await user.signUp();
    const { store } = system();
    const account = (await store.accounts.findByEmail(email))!.id;
    const { robot: id, token } = await store.robots.create({ account, name: 'Pip' });
    const robot = new VirtualRobot({ url: system().link(), token });
    system().keep(robot);
    await robot.start();
    await page.goto('/robots');
    const screen = page.locator('.robot-card', { hasText: id }).locator('.robot-screen');
    await screen.locator('[data-emotion=neutral]').waitFor();
    const act = (action: string, body: object): Promise<unknown> => user.call('POST', `/console/v1/robots/${id}/${action}`, body);
    const requests: string[] = [];
    page.on('request', (request) => void (request.url().includes('/console/shown') && requests.push(request.url())));
    /** The page asks every two seconds; a gateway may answer what it read half a second ago. */
    const appears = async (selector: string, done: Promise<unknown>): Promise<void> => {
      await done;
      const before = requests.length;
      await screen.locator(selector).waitFor();
      assert.ok(requests.length - before <= 3, `${selector} appeared after ${requests.length - before} requests`);
    };

    await appears('[data-emotion=happy]', act('face', { emotion: 'happy' }));
    await appears('.bubble-text', act('say', { text: 'Good morning', seconds: 15 }));
    await appears('.screen-picture', act('show', { title: 'Lunch', text: 'in the kitchen' }));
    const card = await screen.locator('.screen-picture').getAttribute('href');
    const asked = act('ask', { question: 'Tea?', answers: ['Yes', 'No'], timeout_s: 60 });
    await appears(
      `.screen-picture:not([href="${card}"])`,
      robot.until((r) => r.screen.question !== null, { what: 'the question' }),
    );
    await waitArmed(system(), id, robot);
    await robot.tap(...left);
    await asked;
    await appears(`.screen-picture[href="${card}"]`, Promise.resolve());
    await appears('[data-emotion=happy]', act('show', { clear: true }));

    // A hidden tab asks for nothing.
    await page.waitForRequest(/\/console\/shown/);
    const other = await user.tab();
    await page.evaluate(hide);
    await other.waitForTimeout(1500);
    const before = requests.length;
    await other.waitForTimeout(2500);
    assert.equal(requests.length, before);
  });
});

/** As when the user looks at another tab, which headless browsers do not report. */
const hide = `Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`;
