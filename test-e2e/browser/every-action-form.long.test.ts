import assert from 'node:assert/strict';
import { choose, openMore, press } from './fixture/action-form.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { openDeskRobot } from './fixture/desk-robot.js';

onBrowserSystem('the forms of the robot page', ({ system, visit }) => {
  for (const [theme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const) {
    it(`every action form passes axe and fits the screen (${theme}, ${width} px)`, async function () {
      this.timeout(240_000);
      const { user, page } = await openDeskRobot({ system, visit }, { theme, width });
      for (const action of ['ask', 'show', 'menu', 'command', 'clickmap', 'leds']) {
        await choose(page, action);
        await openMore(page);
        assert.ok(((await page.evaluate('document.documentElement.scrollWidth')) as number) <= width, `${action} is too wide`);
      }
      await press(page, 'Set 12 pixels');
      assert.deepEqual(await user.axe(), []);
    });
  }
});
