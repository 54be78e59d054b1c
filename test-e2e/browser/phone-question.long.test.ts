import { until } from '@perch/testkit';
import type { Locator } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { PageRobot } from './fixture/page-robot.js';

onBrowserSystem('a question on a phone', ({ visit }) => {
  it('on a phone, asking a question brings the robot into view, and the answer is shown there', async () => {
    const pip = await PageRobot.open(visit, { width: 360, height: 740 });
    const { page } = pip;
    const stage = page.getByRole('region', { name: 'The robot' });
    await page.getByRole('button', { name: 'Ask', exact: true }).scrollIntoViewIfNeeded();
    await page.evaluate(`document.querySelector('.virtual-question').scrollIntoView({ block: 'start' })`);
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await until(async () => isInView(stage.getByRole('application', { name: 'Touch screen' }), 740), { what: 'the screen in view' });
    await pip.said(/shows a picture/);
    const answer = stage.getByText('You tapped “Yes”');
    await until(
      async () => {
        await pip.click(60, 170);
        return answer.isVisible();
      },
      { what: 'the answer', everyMs: 400 },
    );
  });
});

async function isInView(element: Locator, height: number): Promise<boolean> {
  const box = await element.boundingBox();
  return box !== null && box.y >= 0 && box.y + box.height <= height;
}
