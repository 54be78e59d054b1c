import assert from 'node:assert/strict';
import { PageRobot } from './fixture/page-robot.js';
import { onBrowserSystem } from './fixture/browser-suite.js';

onBrowserSystem("the virtual robot's page in both themes", ({ visit }) => {
  for (const [theme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const) {
    it(`the virtual robot's page passes axe and fits the window (${theme}, ${width} px)`, async () => {
      const pip = await PageRobot.open(visit, { theme, width });
      // The library's announcement of a pressed button stays in the page for a while after the button has gone.
      await pip.page.locator('[data-live-announcer] [role=img]').first().waitFor({ state: 'detached' });
      assert.deepEqual(await pip.user.axe(), []);
      assert.equal(await pip.page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
      await pip.act('leds', { color: 'orange' });
      await pip.said(/LEDs are orange/);
      await pip.page.emulateMedia({ reducedMotion: 'no-preference' });
      await pip.act('move', { gesture: 'nod' });
      await pip.act('move', { yaw: 100, pitch: 60 });
      await pip.page.getByRole('button', { name: 'Follow the head' }).click();
      await pip.made('tap', () => pip.click(160, 120));
    });
  }
});
