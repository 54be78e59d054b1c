/** Forms of the playground that draw: regions and pictures. */
import assert from 'node:assert/strict';
import { halves, noise } from '../fixture/media/pictures.js';
import { waitArmed } from '../fixture/robots/question.js';
import { answerOf, choose, clickOn, dragOn, press, regionsOf } from './fixture/action-form.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { openDeskRobot } from './fixture/desk-robot.js';

onBrowserSystem('regions and pictures of the playground', ({ system, visit }) => {
  const opened = () => openDeskRobot({ system, visit });

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

  it('regions are drawn over other regions, moved with the Move tool, and lie over the robot while their clickmap waits', async () => {
    const { page, robot, id } = await opened();
    await choose(page, 'clickmap');
    await press(page, 'Clear form');
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
    await page.getByText('waiting for a tap in 2 regions', { exact: true }).waitFor();
    await overlay.nth(1).waitFor();
    assert.equal(await overlay.count(), 2);
    await robot.tap(30, 30);
    await page.getByRole('region', { name: 'Response', exact: true }).getByText('200 OK').waitFor();
    await overlay.first().waitFor({ state: 'detached' });
  });

  it("a phone's photo is scaled by the browser and sent", async () => {
    const { page, robot } = await opened();
    await choose(page, 'show');
    await press(page, 'Clear form');
    const photo = Buffer.from(noise(3000, 2250), 'base64');
    assert.ok(photo.length > 1_500_000, `${photo.length} bytes`);
    await page.getByLabel('image', { exact: true }).setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: photo });
    await page.getByText(/photo-1280x960\.jpg: \d+ KB/).waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save it' }).click();
    assert.equal((await saved).suggestedFilename(), 'photo-1280x960.jpg');
    await page.getByRole('button', { name: 'Run show' }).click();
    await robot.until(({ screen }) => screen.card !== null, { what: 'the picture' });
  });

  it('a browser that returns noise for a canvas sends small pictures as they are, and says what keeps it from making large ones smaller', async () => {
    const { page, robot } = await opened();
    // What Firefox does with privacy.resistFingerprinting (element-hq/element-web#14419, fengyuanchen/compressorjs#177).
    await page.evaluate(`CanvasRenderingContext2D.prototype.getImageData = (x, y, w, h) =>
      new ImageData(Uint8ClampedArray.from({ length: 4 * w * h }, () => Math.random() * 256), w, h)`);
    await choose(page, 'show');
    await press(page, 'Clear form');
    const photo = Buffer.from(noise(3000, 2250), 'base64');
    await page.getByLabel('image', { exact: true }).setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: photo });
    await page.getByText(/photo\.jpg is too large to send, and this browser does not let the page make it smaller: it returns noise/).waitFor();
    const png = Buffer.from(halves(640, 480, '#ff0000', '#0000ff'), 'base64');
    await page.getByLabel('image', { exact: true }).setInputFiles({ name: 'halves.png', mimeType: 'image/png', buffer: png });
    await page.getByText(`halves.png: ${Math.ceil(png.length / 1024)} KB`).waitFor();
    assert.equal(await page.getByText('photo.jpg').count(), 0);
    await press(page, 'Run show');
    await robot.until(({ screen }) => screen.card !== null, { what: 'the picture' });
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
