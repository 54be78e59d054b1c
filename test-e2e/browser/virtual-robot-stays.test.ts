/** A virtual robot's page across tabs, tokens, accounts and restarts. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Being } from './fixture/being.js';
import { onBrowserStage } from './fixture/on-browser-stage.js';
import { typeIn } from './fixture/typing.js';

onBrowserStage('a virtual robot across tabs and sessions', ({ visit }) => {
  it('a virtual robot in two tabs runs in the newer one; the older one says so and can take it back', async () => {
    const being = await Being.open(visit);
    const second = await being.visitor.tab();
    await second.goto(`/virtual/${being.id}`);
    await being.online(second);
    await being.page.getByText('Taken over elsewhere').waitFor();
    // Input on this page while the robot runs elsewhere must yield no event, now or later.
    await being.page.locator('.virtual-hands[inert]').waitFor();
    await being.page.getByText('Shake it', { exact: true }).click({ force: true });
    await being.click(160, 120);
    await being.press('Bring it back here');
    await being.online();
    await being.press('Pat');
    await being.event('pat');
    assert.deepEqual(await being.heard(['shaken', 'tap']), []);
    await second.getByText('Taken over elsewhere').waitFor();
    await being.act('face', { emotion: 'happy' });
    await being.said(/happy face/);
  });

  it('a virtual robot that was unplugged is still unplugged after a restart', async () => {
    const being = await Being.open(visit);
    await being.press('Unplug USB');
    await being.event('unplugged');
    await being.press('Restart');
    await being.event('connected');
    await being.online();
    await being.page.getByRole('button', { name: 'Plug USB in' }).waitFor();
    const { readings } = await being.visitor.call('POST', `/console/v1/robots/${being.id}/state`, {});
    assert.equal(readings.usb_power, false);
  });

  it('the question form is visible at once on a desktop and on a phone, and the navigation marks Robots as current', async () => {
    const being = await Being.open(visit, { width: 1280, height: 900 });
    const { page } = being;
    assert.equal(await page.getByRole('link', { name: 'Robots', exact: true }).and(page.locator('[aria-current=page]')).count(), 1);
    const places = async () => {
      const boxes = await Promise.all(
        ['The robot', 'Ask it something', 'Touch its head'].map((name) => page.getByRole('region', { name }).boundingBox()),
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
    const being = await Being.open(visit);
    const { page, visitor } = being;
    const kept = async () => ((await page.evaluate('Object.keys(localStorage)')) as string[]).filter((name) => name.includes(being.id)).length;
    const enter = async (path: string, button: string, { email, password }: { email: string; password: string }) => {
      await visitor.call('DELETE', '/console/session');
      await page.goto(path);
      await typeIn(page.getByLabel('E-mail'), email);
      await typeIn(page.getByLabel('Password', { exact: true }), password);
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('heading', { name: 'Robots', level: 1 }).waitFor();
      await visitor.call('GET', '/console/session');
    };
    await enter('/sign-in', 'Sign in', being.credentials);
    assert.equal(await kept(), 1);
    await enter('/sign-up', 'Make account', { email: `${randomUUID()}@example.com`, password: 'a few words in a row' });
    assert.equal(await kept(), 0);
  });

  it("the page says that the robot's token was replaced, gets a new one, and says that the robot was removed", async () => {
    const being = await Being.open(visit);
    // The page may dial once more with the old token before it learns why it was disconnected.
    being.visitor.forgives = /^WebSocket connection to .* failed/;
    await being.visitor.call('POST', `/console/robots/${being.id}/token`, {});
    await being.page.getByText('Disconnected: its token was replaced').waitFor();
    await being.press('Get a new token');
    await being.online();
    await being.visitor.call('DELETE', `/console/robots/${being.id}`);
    await being.page.getByText('No such robot').waitFor();
  });
});
