/** The robot page: what stays in view, and that it says only what is so. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { allFeatures, VirtualRobot } from '@perch/virtual-robot';
import type { Locator } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { openDeskRobot } from './fixture/desk-robot.js';
import type { BrowserUserOptions } from './fixture/browser-user.js';

type Box = { x: number; y: number; width: number; height: number };

onBrowserSystem('what the robot page shows', ({ system, visit }) => {
  const opened = (options?: BrowserUserOptions, query?: string) => openDeskRobot({ system, visit }, options, query);

  it('every reading can be read, and nothing lies over it, from 1440 x 900 to 360 x 740 pixels', async () => {
    const { page } = await opened({ width: 1440, height: 900 });
    await page.locator('.reading').getByText('battery_pct', { exact: true }).waitFor();
    assert.ok((await page.locator('.reading').count()) > 10);
    for (const [width, height] of [
      [1440, 900],
      [1280, 720],
      [1000, 560],
      [360, 740],
    ] as const) {
      await page.setViewportSize({ width, height });
      const covered = (await page.evaluate(`[...document.querySelectorAll('.reading dt')].filter((label) => {
        label.scrollIntoView({ block: 'center' });
        const { left, top, width, height } = label.getBoundingClientRect();
        return !label.contains(document.elementFromPoint(left + Math.min(8, width / 2), top + height / 2));
      }).map((label) => label.innerText)`)) as string[];
      assert.deepEqual(covered, [], `${width} x ${height}`);
    }
  });

  it('in a window of 1920 pixels, robot, form and code are side by side; in one of 320 by 256, no bar stays in view', async () => {
    const { page } = await opened({ width: 1920, height: 1000 });
    const boxes = async () =>
      Promise.all(['.snapshot-panel', '.action-form', '.action-outcome'].map(async (part) => (await page.locator(part).boundingBox())!));
    await page.locator('.action-outcome').waitFor();
    const [robot, form, code] = (await boxes()) as [Box, Box, Box];
    assert.ok(robot.x + robot.width <= form.x && form.x + form.width <= code.x, JSON.stringify([robot, form, code]));
    await page.setViewportSize({ width: 320, height: 256 });
    await page.locator('.action-outcome').scrollIntoViewIfNeeded();
    await page.evaluate('scrollTo(0, document.scrollingElement.scrollHeight / 2)');
    const staying = await page.evaluate(`[...document.querySelectorAll('.shell *')].filter((part) => {
      const { position } = getComputedStyle(part);
      return ['fixed', 'sticky'].includes(position) && !part.matches('.skip') && part.getBoundingClientRect().height > 0;
    }).map(({ className }) => className)`);
    assert.deepEqual(staying, []);
  });

  it('a robot that connects by ws:// has a notice with the way over, which is gone once it was installed with wss://', async () => {
    const user = await visit({ width: 360 });
    const { page } = user;
    await user.signUp();
    const { robot, token } = await user.call('POST', '/console/robots', { virtual: true, name: 'Pip' });
    const connected = async (features: readonly string[]): Promise<VirtualRobot> => {
      const pip = new VirtualRobot({ url: system().link(), token, features });
      system().keep(pip);
      await pip.start();
      return pip;
    };
    // As the robot program names it (test-e2e/scenarios/micropython-tls.long.test.ts).
    const before = await connected([...allFeatures, 'unencrypted']);
    await page.goto(`/robots/${robot.id}`);
    const notice = page.getByText('The connection of this robot is not encrypted: everyone in its network can read what it shows, and take it over.');
    await notice.waitFor();
    const text = await notice.innerText();
    assert.match(text, /Start Perch with npm start -- --lan and install the robot again on its cable, with the address in wss:\/\/ that it prints\./);
    assert.match(text, /Paired once more, it stays this robot\.$/);
    assert.deepEqual(await user.axe(), []);
    await before.stop();
    await connected(allFeatures);
    const answer = page.waitForResponse((response) => response.url().endsWith('/log'));
    await page.reload();
    assert.equal((await (await answer).json()).unencrypted, false);
    await page.getByText('Robot log').waitFor();
    assert.equal(await notice.count(), 0);
  });

  it('a page that could not be loaded is loaded once the service answers again, without a press', async () => {
    const { user, page } = await opened({ own: true });
    await page.route('**/console/keys*', (route) => route.abort());
    await page.goto('/keys');
    await page.getByText('The service cannot be reached.').waitFor();
    await page.unroute('**/console/keys*');
    await page.getByText('No keys yet').waitFor();
    user.problems.splice(0);
  });

  it('the pages of a robot are no wider than a phone, though the light of the LEDs reaches beyond the drawing', async () => {
    const { user, page, id } = await opened({ width: 390, height: 844 });
    await user.call('POST', `/console/v1/robots/${id}/leds`, { color: '#ffffff' });
    for (const path of [`/robots/${id}`, `/virtual/${id}`]) {
      await page.goto(path);
      await page.locator('.robot-plane canvas').first().waitFor();
      assert.equal(await page.evaluate('document.scrollingElement.scrollWidth'), 390, path);
    }
  });

  it('the page says nothing wrong of LEDs after a timed effect, and goes on with an effect that has no end', async () => {
    const { user, page, id } = await opened();
    const leds = page.locator('.snapshot-facts > div').filter({ hasText: 'LEDs' }).locator('dd');
    await user.call('POST', `/console/v1/robots/${id}/leds`, { effect: 'blink', color: '#ff0000', seconds: 2 });
    await leds.getByText('blink', { exact: true }).waitFor();
    await leds.getByText('as before it connected', { exact: true }).waitFor();
    await user.call('POST', `/console/v1/robots/${id}/leds`, { effect: 'rainbow' });
    await leds.getByText('rainbow', { exact: true }).waitFor();
  });

  it('on a phone, the robot stays in view while a form of the playground is scrolled', async () => {
    const { page } = await opened({ width: 360, height: 740 });
    const bar = page.locator('.stage-bar');
    await page.getByRole('button', { name: 'Clear form' }).scrollIntoViewIfNeeded();
    await until(async () => isInView(bar, 740), { what: 'the bar in view' });
    await bar.getByText(/LEDs: as before it connected/).waitFor();
    await page.getByRole('textbox', { name: 'question' }).focus();
    const [field, top] = [await page.getByRole('textbox', { name: 'question' }).boundingBox(), await bar.boundingBox()];
    assert.ok(field!.y >= top!.y + top!.height, 'the focused field lies under the bar');
  });

  it('on a phone, the playground is offered also while the live stream cannot be opened', async () => {
    const { page } = await opened({ width: 360, height: 740 });
    await page.route('**/console/live?*', (route) => route.abort());
    await page.reload();
    await page.getByRole('button', { name: 'Run ask' }).waitFor();
    assert.equal(await page.locator('[data-online]').count(), 0, 'the robot is not shown as online');
  });

  it('equal events in a row are one entry with their number', async () => {
    const { page, robot } = await opened();
    for (let i = 0; i < 2; i++) {
      robot.restart();
      await robot.until(({ online }) => !online, { what: 'the restart' }).catch(() => undefined);
      await robot.until(({ online }) => online, { what: 'the robot to be back' });
    }
    const feed = page.getByRole('log', { name: 'Events, newest first' });
    await feed.getByText(/[23] times since/).waitFor();
    assert.deepEqual(await feed.locator('code').allInnerTexts(), ['connected']);
  });

  it('a page without connection shows the last known state instead of a green Online', async () => {
    const { page, user } = await opened({ own: true });
    await user.context.setOffline(true);
    await page.getByText('Last known: online', { exact: true }).waitFor();
    assert.equal(await page.getByText('Online', { exact: true }).count(), 0);
    assert.equal(await page.locator('[data-online]').count(), 0);
    await user.context.setOffline(false);
    await page.getByText('Online', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Robots', exact: true }).first().click();
    await page.locator('.robot-online').waitFor();
    await user.context.setOffline(true);
    await page.getByText('Last known: online', { exact: true }).waitFor();
    await user.context.setOffline(false);
    await page.locator('.robot-online').waitFor();
  });

  it('says of an offline robot, whose drawn face sleeps, how it starts, instead of what it showed last', async () => {
    const { page, robot } = await opened();
    await page.locator('.snapshot-facts dd').first().waitFor();
    await robot.stop();
    await page.getByText('This virtual robot starts on its page').waitFor();
    assert.equal(await page.locator('.snapshot-facts').count(), 0);
    await page.locator('.snapshot-stage .face[data-emotion="sleepy"]').waitFor();
  });
});

async function isInView(element: Locator, height: number): Promise<boolean> {
  const box = await element.boundingBox();
  return box !== null && box.y >= 0 && box.y + box.height <= height;
}
