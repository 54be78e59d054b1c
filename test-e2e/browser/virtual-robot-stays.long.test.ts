import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { PageRobot } from './fixture/page-robot.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { typeIn } from './fixture/typing.js';

onBrowserSystem('a virtual robot across tabs and sessions', ({ visit }) => {
  it('a virtual robot in two tabs runs in the newer one; the older one says so and can take it back', async () => {
    const pip = await PageRobot.open(visit);
    const second = await pip.user.tab();
    await second.goto(`/virtual/${pip.id}`);
    await pip.online(second);
    await pip.page.getByText('Running elsewhere').waitFor();
    // Input on this page while the robot runs elsewhere must yield no event, now or later.
    await pip.page.locator('.virtual-hands[inert]').waitFor();
    await pip.page.getByText('Shake it', { exact: true }).click({ force: true });
    await pip.click(160, 120);
    await pip.press('Run it here');
    await pip.online();
    await pip.press('Pat');
    await pip.event('pat');
    assert.deepEqual(await pip.heard(['shaken', 'tap']), []);
    await second.getByText('Running elsewhere').waitFor();
    await pip.act('face', { emotion: 'happy' });
    await pip.said(/happy face/);
  });

  it('a virtual robot that was unplugged is still unplugged after a restart', async () => {
    const pip = await PageRobot.open(visit);
    await pip.press('Unplug USB');
    await pip.event('unplugged');
    await pip.press('Restart');
    await pip.event('connected');
    await pip.online();
    await pip.page.getByRole('button', { name: 'Plug USB in' }).waitFor();
    const { readings } = await pip.user.call('POST', `/console/v1/robots/${pip.id}/state`, {});
    assert.equal(readings.usb_power, false);
  });

  it('the question form is visible at once on a desktop and on a phone, and the navigation marks Robots as current', async () => {
    const pip = await PageRobot.open(visit, { width: 1280, height: 900 });
    const { page } = pip;
    assert.equal(await page.getByRole('link', { name: 'Robots', exact: true }).and(page.locator('[aria-current=page]')).count(), 1);
    const places = async () => {
      const boxes = await Promise.all(
        ['The robot', 'Ask a question', 'Touch its head'].map((name) => page.getByRole('region', { name }).boundingBox()),
      );
      const [robot, question, head] = boxes.map((box) => ({ left: box!.x, right: box!.x + box!.width, top: box!.y, bottom: box!.y + box!.height }));
      return { robot: robot!, question: question!, head: head! };
    };
    const desk = await places();
    assert.ok(desk.question.left >= desk.robot.right && desk.question.bottom <= desk.head.top && desk.question.bottom <= 900, JSON.stringify(desk));
    await page.setViewportSize({ width: 360, height: 800 });
    const phone = await places();
    assert.ok(phone.robot.bottom <= phone.question.top && phone.question.bottom <= phone.head.top, JSON.stringify(phone));
    assert.ok(phone.question.top - phone.robot.bottom < 40, JSON.stringify(phone));
  });

  it("the browser keeps a virtual robot's token for its own account, and deletes it when another account signs in", async () => {
    const pip = await PageRobot.open(visit);
    const { page, user } = pip;
    const kept = async () => ((await page.evaluate('Object.keys(localStorage)')) as string[]).filter((name) => name.includes(pip.id)).length;
    const enter = async (path: string, button: string, { email, password }: { email: string; password: string }) => {
      await user.call('DELETE', '/console/session');
      await page.goto(path);
      await typeIn(page.getByLabel('E-mail'), email);
      await typeIn(page.getByLabel('Password', { exact: true }), password);
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();
      await user.call('GET', '/console/session');
    };
    await enter('/sign-in', 'Sign in', pip.credentials);
    assert.equal(await kept(), 1);
    await enter('/sign-up', 'Create account', { email: `${randomUUID()}@example.com`, password: 'a few words in a row' });
    assert.equal(await kept(), 0);
  });

  it("the page says that the robot's token was replaced, gets a new one, and says that the robot was removed", async () => {
    const pip = await PageRobot.open(visit);
    // The page may dial once more with the old token before it learns why it was disconnected.
    pip.user.forgives = /^WebSocket connection to .* failed/;
    await pip.user.call('POST', `/console/robots/${pip.id}/token`, {});
    await pip.page.getByText('Disconnected: its token was replaced').waitFor();
    await pip.press('Get a new token');
    await pip.online();
    await pip.user.call('DELETE', `/console/robots/${pip.id}`);
    await pip.page.getByText('No such robot').waitFor();
  });
});
