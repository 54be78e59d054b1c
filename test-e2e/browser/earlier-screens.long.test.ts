import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { Person, VirtualRobot } from '@perch/virtual-robot';
import type { Locator } from 'playwright-core';
import { picture } from '../fixture/media/pictures.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import type { BrowserUser } from './fixture/browser-user.js';

onBrowserSystem('the earlier screens on the robot page', ({ system, visit }) => {
  const persons: Person[] = [];
  after(() => {
    for (const person of persons) person.stop();
  });
  const panel = ({ page }: BrowserUser): Locator => page.locator('details', { has: page.getByText('Earlier screens', { exact: true }) });
  const open = (user: BrowserUser): Promise<void> => panel(user).getByText('Earlier screens', { exact: true }).click();
  const entries = ({ page }: BrowserUser): Locator => page.getByRole('list', { name: 'Earlier screens, newest first' }).getByRole('listitem');

  async function setUp(user: BrowserUser): Promise<{ id: string; act: (action: string, args: object) => Promise<any> }> {
    await user.signUp();
    const { robot, token } = await user.call('POST', '/console/robots', { virtual: true, name: 'Desk' });
    const body = new VirtualRobot({ url: system().link(), token });
    system().keep(body);
    await body.start();
    persons.push(new Person(body, { thinkMs: 50, againMs: 100 }));
    const act = (action: string, args: object): Promise<any> => user.call('POST', `/console/v1/robots/${robot.id}/${action}`, args);
    return { id: robot.id, act };
  }

  async function showSeveral(act: (action: string, args: object) => Promise<any>): Promise<string> {
    await act('show', { title: 'Build', text: '42 %', note: '3 min left', progress: 0.42, color: 'green' });
    await act('show', { image: picture(32, 24, () => {}) });
    await act('show', { icon: 'cloud-sun', text: '21 °C', note: 'Sunny until six' });
    await act('menu', { title: 'Lunch', items: ['🍕 Pizza', '🥗 Salad', '🍜 Ramen'], timeout_s: 20 });
    return (await act('ask', { question: 'Ship the <b>build</b>?', answers: ['Ship', 'Wait'], timeout_s: 20 })).answer;
  }

  it('nothing is asked for before the panel is opened, and an empty panel says what belongs there', async () => {
    const user = await visit();
    const { page } = user;
    const { id, act } = await setUp(user);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/\/screens|earlier-screens/.test(request.url())) asked.push(request.url());
    });
    await page.goto(`/robots/${id}`);
    await page.getByRole('button', { name: /^Run / }).waitFor();
    await panel(user).waitFor();
    assert.deepEqual(asked, []);
    await open(user);
    await page.getByText('Cards and questions appear here once the robot has shown one').waitFor();
    assert.deepEqual(await user.axe(), []);
    await act('show', { text: 'The first' });
    await entries(user).getByRole('img', { name: 'Card: The first' }).waitFor();
    assert.equal(await entries(user).count(), 1);
  });

  for (const width of [1280, 320]) {
    it(`cards and questions appear with their pictures, words and outcomes (${width} pixels wide)`, async () => {
      const user = await visit({ width });
      const { page } = user;
      const { id, act } = await setUp(user);
      const answer = await showSeveral(act);
      await page.goto(`/robots/${id}`);
      await open(user);
      const question = entries(user).first();
      await question.getByRole('img', { name: 'Question: Ship the <b>build</b>? Answers: Ship, Wait' }).waitFor();
      await entries(user).nth(4).getByRole('img', { name: 'Card: Build. 42 %. 42 %. 3 min left' }).waitFor();
      const texts = (await entries(user).allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
      assert.match(texts[0]!, new RegExp(`Question Answered: ${answer} .* · Web page`));
      assert.match(texts[1]!, /Menu Answered: /);
      assert.match(texts[3]!, /Picture not kept Card Shown/);
      const sizes = (await page.evaluate(
        `[...document.querySelectorAll('.earlier-screen img')].map((img) => [img.naturalWidth, img.naturalHeight])`,
      )) as [number, number][];
      assert.deepEqual([...new Set(sizes.map(String))], ['320,240']);
      assert.equal(sizes.length, 4);
      const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      assert.equal(wide, 0);

      await question.getByRole('button').click();
      const dialog = page.getByRole('dialog', { name: 'Question' });
      await dialog.getByRole('img').waitFor();
      await dialog.getByText('"question": "Ship the <b>build</b>?"').waitFor();
      await dialog.getByText('Tapped after').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await entries(user).nth(3).getByRole('button').click();
      await page
        .getByRole('dialog', { name: 'Card' })
        .getByText('Pictures that were sent with the call or by address are not kept: image.')
        .waitFor();
    });
  }

  it('the arguments of an earlier screen can be tried in the playground', async () => {
    const user = await visit();
    const { page } = user;
    const { id, act } = await setUp(user);
    await act('menu', { title: 'Lunch', items: ['🍕 Pizza', { id: 's', label: 'Salad' }], timeout_s: 20 });
    await page.goto(`/robots/${id}?action=face`);
    await page.getByRole('button', { name: 'Run face' }).waitFor();
    await open(user);
    await entries(user).first().getByRole('button').click();
    await page.getByRole('button', { name: 'Try in the playground' }).click();
    await page.getByRole('button', { name: 'Run menu' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('action'), 'menu');
    assert.equal(await page.getByRole('textbox', { name: 'title' }).inputValue(), 'Lunch');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Run menu' }).click();
    await until(async () => (await entries(user).count()) === 2, { what: 'the menu once more', everyMs: 300 });
  });
});
