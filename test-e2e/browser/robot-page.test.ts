/** The robot page: what stays in view, and that it says only what is so. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type { Locator, Page } from 'playwright-core';
import { picture } from '../fixture/media/pictures.js';
import { waitArmed } from '../fixture/robots/question.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { openDeskRobot } from './fixture/desk-robot.js';
import { PageRobot } from './fixture/page-robot.js';
import type { BrowserUserOptions } from './fixture/browser-user.js';

onBrowserSystem('what the robot page shows', ({ system, visit }) => {
  const opened = (options?: BrowserUserOptions, query?: string) => openDeskRobot({ system, visit }, options, query);

  for (const [width, height] of [
    [1440, 900],
    [1280, 720],
    [1000, 560],
    [360, 740],
  ] as const) {
    it(`every reading can be read, and nothing lies over it (${width} x ${height})`, async () => {
      const { page } = await opened({ width, height });
      await page.locator('.reading').first().waitFor();
      const covered = (await page.evaluate(`[...document.querySelectorAll('.reading dt')].filter((label) => {
        label.scrollIntoView({ block: 'center' });
        const { left, top, width, height } = label.getBoundingClientRect();
        return !label.contains(document.elementFromPoint(left + Math.min(8, width / 2), top + height / 2));
      }).map((label) => label.innerText)`)) as string[];
      assert.deepEqual(covered, []);
      assert.ok((await page.locator('.reading').count()) > 10);
      await page.locator('.reading').getByText('battery_pct', { exact: true }).waitFor();
    });
  }

  it('on a phone, the robot stays in view while a form of the playground is scrolled', async () => {
    const { page } = await opened({ width: 360, height: 740 });
    const bar = page.locator('.stage-bar');
    await page.getByRole('button', { name: 'Run ask' }).scrollIntoViewIfNeeded();
    await until(async () => isInView(bar, 740), { what: 'the bar in view' });
    await bar.getByText(/LEDs: not set since it connected/).waitFor();
    await page.getByRole('textbox', { name: 'question' }).focus();
    const [field, top] = [await page.getByRole('textbox', { name: 'question' }).boundingBox(), await bar.boundingBox()];
    assert.ok(field!.y >= top!.y + top!.height, 'the focused field lies under the bar');
  });

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
      { what: 'the answer', timeoutMs: 20_000, everyMs: 400 },
    );
  });

  it('an error at a field is told there, and not again beside the response', async () => {
    const { page } = await opened();
    await choose(page, 'ask');
    await page.getByRole('textbox', { name: 'timeout_s' }).fill('300');
    await page.getByRole('button', { name: 'Run ask' }).click();
    await page.locator('.field-error').waitFor();
    const answer = page.getByRole('region', { name: 'Response', exact: true });
    await answer.getByText('400 bad_argument').waitFor();
    assert.equal(
      await page
        .getByText(/at most 120/i)
        .filter({ visible: true })
        .count(),
      2,
      'the help of the field and its error',
    );
    await answer.getByText('Response body', { exact: true }).click();
    await answer.getByText(/"code": "bad_argument"/).waitFor();
  });

  it('a form with an error shows no request that would not be sent', async () => {
    const { page } = await opened();
    await choose(page, 'scene');
    const request = page.getByRole('region', { name: 'Request', exact: true });
    await request.getByText('curl').first().waitFor();
    await page.getByRole('textbox', { name: 'actions' }).fill('[{ "action": ');
    await request.getByText('The request appears here once actions is valid.').waitFor();
    assert.equal(await request.getByRole('region').count(), 0);
    await page.getByRole('textbox', { name: 'actions' }).fill('[{ "action": "stop" }]');
    await request.getByRole('region', { name: /scene as curl/ }).waitFor();
  });

  it('the address keeps the chosen action and language over a reload and in a copied link', async () => {
    const { page, id } = await opened();
    await choose(page, 'leds');
    await page.getByRole('region', { name: 'Request', exact: true }).getByText('Python', { exact: true }).click();
    await page.waitForURL(`**/robots/${id}?action=leds&as=python`);
    await page.evaluate('sessionStorage.clear()');
    await page.reload();
    await page.getByRole('region', { name: 'leds as Python' }).waitFor();
    await page.goto(`/robots/${id}?action=nothing&as=nothing`);
    await page.getByRole('button', { name: /^Run / }).waitFor();
  });

  it('equal events in a row are one entry with their number', async () => {
    const { page, robot } = await opened();
    for (let i = 0; i < 2; i++) {
      robot.restart();
      await robot.until(({ online }) => !online, { what: 'the restart' }).catch(() => undefined);
      await robot.until(({ online }) => online, { what: 'the robot to be back', timeoutMs: 15_000 });
    }
    const feed = page.getByRole('log', { name: 'Events, newest first' });
    await feed.getByText(/[23] times since/).waitFor();
    assert.deepEqual(await feed.locator('code').allInnerTexts(), ['connected']);
  });

  it('a page without connection shows the last known state instead of a green Online', async () => {
    const { page, user } = await opened();
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

  it('regions are drawn over other regions, moved with the Move tool, and lie over the robot while their clickmap waits', async () => {
    const { page, robot, id } = await opened();
    await choose(page, 'clickmap');
    await page.getByRole('button', { name: 'Clear form' }).click();
    const canvas = page.locator('.region-canvas');
    await canvas.scrollIntoViewIfNeeded();
    await dragOn(page, canvas, [20, 20], [300, 220]);
    await dragOn(page, canvas, [60, 60], [160, 160]);
    const rows = page.locator('.region-row');
    await rows.nth(1).waitFor();
    assert.equal(await rows.count(), 2);
    await page.getByText('Move', { exact: true }).click();
    await dragOn(page, canvas, [100, 100], [120, 110]);
    assert.equal(await page.getByRole('textbox', { name: 'regions[1].rect x' }).inputValue(), '80');
    assert.equal(await page.getByRole('textbox', { name: 'regions[0].rect x' }).inputValue(), '20');

    const overlay = page.locator('.snapshot-stage .region-overlay .region-outline');
    assert.equal(await overlay.count(), 0);
    await page.getByRole('button', { name: 'Run clickmap' }).click();
    await waitArmed(system(), id, robot);
    await page.getByText('waiting for a tap in 2 regions').waitFor();
    await overlay.nth(1).waitFor();
    assert.equal(await overlay.count(), 2);
    await robot.tap(30, 30);
    await page.getByRole('region', { name: 'Response', exact: true }).getByText('200 OK').waitFor();
    await overlay.first().waitFor({ state: 'detached' });
  });

  it("a phone's photo is scaled by the browser and sent", async function () {
    this.timeout(120_000);
    const { page, robot } = await opened();
    await choose(page, 'show');
    await page.getByRole('button', { name: 'Clear form' }).click();
    const photo = Buffer.from(noise(3000, 2250), 'base64');
    assert.ok(photo.length > 1_500_000, `${photo.length} bytes`);
    await page.getByLabel('image', { exact: true }).setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: photo });
    await page.getByText(/photo-1280x960\.jpg: \d+ KB/).waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save it' }).click();
    assert.equal((await saved).suggestedFilename(), 'photo-1280x960.jpg');
    await page.getByRole('button', { name: 'Run show' }).click();
    await robot.until(({ screen }) => screen.card !== null, { what: 'the picture', timeoutMs: 20_000 });
  });

  it('boxes beside a picture are as tall as others', async () => {
    const { page } = await opened();
    await choose(page, 'menu');
    const box = (name: string) => page.locator(`[id="argument-items-0-${name}"]`).boundingBox();
    const [label, id] = [await box('label'), await box('id')];
    assert.ok(id!.height <= label!.height + 1, `${id!.height} beside ${label!.height}`);
    await page.getByRole('button', { name: 'Add tile' }).waitFor();
  });
});

async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole('radiogroup', { name: 'Action' }).getByText(action, { exact: true }).click();
}

async function isInView(element: Locator, height: number): Promise<boolean> {
  const box = await element.boundingBox();
  return box !== null && box.y >= 0 && box.y + box.height <= height;
}

async function dragOn(page: Page, canvas: Locator, from: readonly [number, number], to: readonly [number, number]): Promise<void> {
  const box = (await canvas.boundingBox())!;
  const at = ([x, y]: readonly [number, number]): [number, number] => [
    box.x + ((x + 0.01) / 320) * box.width,
    box.y + ((y + 0.01) / 240) * box.height,
  ];
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 4 });
  await page.mouse.up();
}

/** Returns a JPEG in which every pixel differs from its neighbours, so that it is as large as a photo. */
function noise(w: number, h: number): string {
  return picture(
    w,
    h,
    (context) => {
      const image = context.createImageData(w, h);
      let seed = 1;
      for (let at = 0; at < image.data.length; at++) {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        image.data[at] = at % 4 === 3 ? 255 : seed >> 16;
      }
      context.putImageData(image, 0, 0);
    },
    'jpeg',
  );
}
