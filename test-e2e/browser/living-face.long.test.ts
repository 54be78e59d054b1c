import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { createCanvas, loadImage } from 'canvas';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { PageRobot } from './fixture/page-robot.js';

onBrowserSystem('the living face of the virtual robot', ({ visit }) => {
  it('the face moves by itself, and stands still for a user who prefers reduced motion', async () => {
    const pip = await PageRobot.open(visit);
    const still = await until(
      async () => {
        const [first, second] = [await shot(pip), await shot(pip)];
        return lit(first.pixels) > 0 && first.png.equals(second.png) ? first.png : null;
      },
      { what: 'a still face' },
    );
    await pip.page.waitForTimeout(5000);
    assert.ok((await shot(pip)).png.equals(still), 'no blink, breath or glance in 5 s');
    await pip.page.emulateMedia({ reducedMotion: 'no-preference' });
    await until(async () => !(await shot(pip)).png.equals(still), { what: 'a movement' });
  });

  it('the eyes follow the pointer from one side of the window to the other', async () => {
    const pip = await PageRobot.open(visit);
    const { page } = pip;
    await until(async () => lit((await shot(pip)).pixels) > 0, { what: 'a drawn face' });
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    const { width, height } = page.viewportSize()!;
    const lookedAt = async (x: number): Promise<number> => {
      // Two movements, because the first one may arrive while the face still looks about.
      for (const step of [0, 2]) await page.mouse.move(x + step, height / 2);
      await page.waitForTimeout(400);
      return middleOf(await shot(pip));
    };
    await until(async () => (await lookedAt(width - 5)) - (await lookedAt(5)) > 0.02, { what: 'eyes that follow the pointer' });
  });

  it('petting closes the eyes for as long as it lasts', async () => {
    const pip = await PageRobot.open(visit);
    const { page } = pip;
    // Counted on the still face, because a living one blinks.
    const open = await until(async () => lit((await shot(pip)).pixels) || null, { what: 'a drawn face' });
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    const zone = await page.locator('[data-zone="front"]').boundingBox();
    await page.mouse.move(zone!.x + zone!.width / 2, zone!.y + zone!.height / 2);
    await page.mouse.down();
    await until(async () => lit((await shot(pip)).pixels) < 0.7 * open, { what: 'closed eyes' });
    await page.waitForTimeout(1000);
    // A blink would have ended.
    assert.ok(lit((await shot(pip)).pixels) < 0.7 * open, 'the eyes stay closed');
    await page.mouse.up();
    await until(async () => lit((await shot(pip)).pixels) > 0.85 * open, { what: 'open eyes' });
  });

  it('shaking the robot makes its face dizzy, a lift surprises it, and both pass', async () => {
    const pip = await PageRobot.open(visit);
    await until(async () => lit((await shot(pip)).pixels) > 0, { what: 'a drawn face' });
    await pip.page.emulateMedia({ reducedMotion: 'no-preference' });
    const reaches = (what: string, fits: (taken: Shot) => boolean) => until(async () => fits(await shot(pip)), { what });
    const isCalm = (taken: Shot): boolean => share(taken, cheek, isPink) > 0.5 && share(taken, brows, isLit) === 0;
    await reaches('a calm face', isCalm);
    await pip.press('Shake it');
    await reaches('a dizzy face, which alone has no cheeks', (taken) => share(taken, cheek, isPink) === 0);
    await reaches('a calm face after the shake', isCalm);
    await pip.press('Lift it');
    await reaches('a surprised face, which alone has brows above its eyes', (taken) => share(taken, brows, isLit) > 0.01);
    await reaches('a calm face after the lift', isCalm);
  });

  it('the mouth moves while the robot plays a sound', async () => {
    const pip = await PageRobot.open(visit);
    await until(async () => lit((await shot(pip)).pixels) > 0, { what: 'a drawn face' });
    await pip.page.emulateMedia({ reducedMotion: 'no-preference' });
    // The mouth of a calm face is a line, whose share of its box hardly changes while the face breathes.
    const closed = share(await shot(pip), mouth, isLit);
    await until(
      async () => {
        await pip.act('sound', { chime: 'tada' });
        const shares: number[] = [];
        for (let i = 0; i < 5; i++) shares.push(share(await shot(pip), mouth, isLit));
        return Math.max(...shares) > 1.5 * closed;
      },
      { what: 'a mouth opened by the sound' },
    );
  });

  it('nothing of how the face lives is sent over the link', async () => {
    const pip = await PageRobot.open(visit);
    const { page } = pip;
    const sent = await pip.reloadAndRecordFrames();
    const { width, height } = page.viewportSize()!;
    const before = await shot(pip);
    await until(
      async () => {
        await page.mouse.move((width * (sent.length % 7)) / 7, height / 2);
        return !(await shot(pip)).png.equals(before.png) && sent.filter((type) => type === 'sensors').length > 2;
      },
      { what: 'a face that moves, and readings' },
    );
    // On a busy machine it lasts long enough for the service to ask whether the robot is there.
    const own = sent.filter((type) => type !== 'pong');
    assert.deepEqual([...new Set(own)].toSorted(), ['hello', 'sensors']);
    assert.deepEqual(await pip.heard(['tap', 'pat', 'pet', 'stroke', 'shaken', 'picked_up']), []);
  });
});

type Box = readonly [left: number, top: number, right: number, bottom: number];

/** Parts of the calm face, px of the screen. */
const cheek: Box = [50, 146, 70, 154];
const brows: Box = [66, 40, 254, 58];
const mouth: Box = [118, 155, 202, 218];

/** Returns how much of a part of the screen has a colour. */
function share({ pixels, width }: Shot, [left, top, right, bottom]: Box, is: (pixels: Uint8ClampedArray, at: number) => boolean): number {
  const scale = width / 320;
  let [count, all] = [0, 0];
  for (let y = Math.ceil(top * scale); y < bottom * scale; y++) {
    for (let x = Math.ceil(left * scale); x < right * scale; x++) {
      all += 1;
      if (is(pixels, 4 * (y * width + x))) count += 1;
    }
  }
  return count / all;
}

function isPink(pixels: Uint8ClampedArray, at: number): boolean {
  return pixels[at]! > pixels[at + 1]! + 20;
}

interface Shot {
  png: Buffer;
  pixels: Uint8ClampedArray;
  width: number;
}

/** Takes a picture of the robot's screen. */
async function shot(pip: PageRobot): Promise<Shot> {
  const [[left, top], [right, bottom]] = [await pip.spot(0, 0), await pip.spot(320, 240)];
  const png = await pip.page.screenshot({ clip: { x: left, y: top, width: right - left, height: bottom - top } });
  const image = await loadImage(png);
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  return { png, pixels: context.getImageData(0, 0, image.width, image.height).data, width: image.width };
}

/** Returns where the middle of eyes and mouth is, from 0 at the left edge to 1 at the right one. */
function middleOf({ pixels, width }: Shot): number {
  let [count, sum] = [0, 0];
  for (let at = 0; at < pixels.length; at += 4) {
    if (!isLit(pixels, at)) continue;
    count += 1;
    sum += ((at / 4) % width) / width;
  }
  return count === 0 ? 0.5 : sum / count;
}

/** Returns how many pixels have the colour of eyes and mouth. */
function lit(pixels: Uint8ClampedArray): number {
  let count = 0;
  for (let at = 0; at < pixels.length; at += 4) if (isLit(pixels, at)) count++;
  return count;
}

function isLit(pixels: Uint8ClampedArray, at: number): boolean {
  return Math.min(pixels[at]!, pixels[at + 1]!, pixels[at + 2]!) > 200;
}
