/** How the drawn robot shows sound, speech, light and emotions: with movement, and without it for users who prefer reduced motion. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type { Page } from 'playwright-core';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { PageRobot } from './fixture/page-robot.js';

/** The drawing of the robot at one time. */
interface Seen {
  /** Share of the pixels around the mouth that have its colour: 0.19 of a calm face, 0.59 of a happy one. */
  mouth: number;
  /** Share of the base's top that the LEDs light, the lenses included. */
  lit: number;
  /** Mean light of red, green and blue there, 0 to 255. */
  light: readonly [number, number, number];
  /** Name of the animation of the sign of a sound; null: there is no sign. */
  sign: string | null;
  /** The description of the robot says that it plays a sound. */
  isSaid: boolean;
}

/** Share of the canvas of the LEDs that the lenses take: 12 of 14 by 30 units in 544 by 408. */
const lenses = (12 * 14 * 30) / (544 * 408);
/** Types of the frames of a robot that is asked to play, to shine and to show a face, and is not touched. */
const answers = ['hello', 'sensors', 'ack', 'flow', 'play_done', 'ping', 'pong'];
const isDark = ({ lit }: Seen): boolean => lit === 0;

onBrowserSystem("the reactions of the virtual robot's face and LEDs", ({ visit }) => {
  it('the mouth moves while the robot speaks, one emotion passes into the next, LEDs glow and fade, and none of it is sent over the link', async () => {
    const pip = await PageRobot.open(visit);
    const { page } = pip;
    const sent = await pip.reloadAndRecordFrames();
    await page.evaluate(record);
    const calm = await calmFace(page);
    assert.ok(isDark(calm));

    const smile = await ends(pip, 'happy', (seen) => seen.mouth > 2 * calm.mouth);
    const between = ({ mouth }: Seen): boolean =>
      mouth > calm.mouth + 0.2 * (smile.mouth - calm.mouth) && mouth < calm.mouth + 0.8 * (smile.mouth - calm.mouth);
    // A frame lasts long on a busy machine; then the change is repeated.
    await until(
      async () => {
        await ends(pip, 'neutral', (seen) => seen.mouth < 1.3 * calm.mouth);
        await recorded(page);
        await ends(pip, 'happy', (seen) => seen.mouth > 0.9 * smile.mouth);
        return (await recorded(page)).some(between);
      },
      { what: 'a face between two emotions', timeoutMs: 60_000 },
    );
    await ends(pip, 'neutral', (seen) => seen.mouth < 1.3 * calm.mouth);

    // Every frame counts, also those after the call: on a busy machine few are drawn while it speaks.
    await recorded(page);
    await until(
      async () => {
        await pip.act('speak', { text: 'Good morning, and welcome back.' });
        return (await recorded(page)).some((seen) => seen.mouth > 1.5 * calm.mouth);
      },
      { what: 'a mouth that speech opens', timeoutMs: 60_000 },
    );
    await reaches(page, 'a mouth that is closed after speech', (seen) => seen.mouth < 1.3 * calm.mouth);

    await until(
      async () => {
        await recorded(page);
        await pip.act('leds', { color: 'green' });
        const bright = await reaches(page, 'glowing LEDs', (seen) => seen.light[1] > 8);
        const rising = (await recorded(page)).some((seen) => seen.light[1] > 0.5 && seen.light[1] < 0.7 * bright.light[1]);
        await pip.act('leds', { effect: 'off' });
        await reaches(page, 'dark LEDs', isDark);
        return rising;
      },
      { what: 'LEDs that brighten and do not jump', timeoutMs: 60_000 },
    );
    assert.deepEqual(
      [...new Set(sent)].filter((type) => !answers.includes(type)),
      [],
    );
  });

  it('for a user who prefers reduced motion, LEDs glow, a sound shows its sign and an emotion its face, at once and without movement', async () => {
    const pip = await PageRobot.open(visit);
    const { page } = pip;
    await page.evaluate(record);
    const calm = await reaches(page, 'a drawn face', isFace);
    await recorded(page);

    await pip.act('leds', { color: 'green' });
    const bright = await reaches(page, 'glowing LEDs', (seen) => !isDark(seen));
    assert.ok(bright.lit > 3 * lenses, `the light goes further than the lenses: ${bright.lit}`);
    assert.ok(bright.light[1] > 2 * Math.max(bright.light[0], bright.light[2]), `the light is green: ${bright.light.join()}`);
    await pip.act('leds', { effect: 'off' });
    const dark = await reaches(page, 'dark LEDs', isDark);
    // A busy machine draws few frames, and may record none of one of the two.
    const lights = (await recorded(page)).map(({ light }) => light.join());
    const between = lights.filter((light) => ![bright, dark].some((seen) => seen.light.join() === light));
    assert.deepEqual(between, [], 'light or dark, nothing between them');

    const during = await heardOnce(pip, 'sound', { notes: 'C5:1000 E5:1000' });
    assert.deepEqual(signsOf(during), ['none'], 'a sign that stands still');
    const speech = await heardOnce(pip, 'speak', { text: 'Good morning, and welcome back.' });
    assert.deepEqual(signsOf(speech), ['none']);
    assert.deepEqual(mouthsOf([...during, ...speech]), [calm.mouth], 'a mouth that neither sound nor speech moves');

    const smile = await ends(pip, 'happy', (seen) => seen.mouth > 2 * calm.mouth);
    await ends(pip, 'neutral', (seen) => seen.mouth === calm.mouth);
    const others = mouthsOf(await recorded(page)).filter((mouth) => mouth !== calm.mouth && mouth !== smile.mouth);
    assert.deepEqual(others, [], 'one emotion or the other');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    assert.deepEqual(signsOf(await heardOnce(pip, 'sound', { notes: 'C5:1000 E5:1000' })), ['sound-wave'], 'a sign that moves');
  });
});

function isFace({ mouth }: Seen): boolean {
  return mouth > 0;
}

/** Returns the face once its mouth rests: just after the page has loaded, it passes from the sleep of an offline robot into its emotion. */
function calmFace(page: Page): Promise<Seen> {
  return until(
    async () => {
      const seen = (await recorded(page)).filter(isFace);
      const mouths = seen.map(({ mouth }) => mouth);
      return seen.length >= 5 && Math.max(...mouths) < 1.1 * Math.min(...mouths) ? seen.at(-1)! : null;
    },
    { what: 'a face whose mouth rests', everyMs: 500 },
  );
}

/** Plays a sound to its end. @returns what the page showed meanwhile, and before and after it */
async function heardOnce(pip: PageRobot, action: string, args: object): Promise<Seen[]> {
  await recorded(pip.page);
  await pip.act(action, args);
  const seen: Seen[] = [];
  await until(
    async () => {
      seen.push(...(await recorded(pip.page)));
      return seen.some(({ sign }) => sign !== null) && seen.at(-1)!.sign === null;
    },
    { what: 'a sign that comes with the sound and goes with it', everyMs: 50 },
  );
  assert.ok(
    seen.every(({ sign, isSaid }) => (sign !== null) === isSaid),
    'the description says whether a sound plays',
  );
  return seen;
}

/** Chromium shows a canvas that a worker drew on long ago, but may read it as empty: then there is no mouth. */
function mouthsOf(seen: readonly Seen[]): number[] {
  return [...new Set(seen.filter(isFace).map(({ mouth }) => mouth))].toSorted((a, b) => a - b);
}

function signsOf(seen: readonly Seen[]): string[] {
  return [...new Set(seen.flatMap(({ sign }) => sign ?? []))];
}

/** Sets the emotion and waits until its face has come. */
async function ends(pip: PageRobot, emotion: string, fits: (seen: Seen) => boolean): Promise<Seen> {
  await pip.act('face', { emotion });
  return reaches(pip.page, `the face ${emotion}`, fits);
}

function reaches(page: Page, what: string, fits: (seen: Seen) => boolean): Promise<Seen> {
  return until(
    async () => {
      const seen = await now(page);
      return fits(seen) ? seen : null;
    },
    { what, everyMs: 50 },
  );
}

async function now(page: Page): Promise<Seen> {
  return (await page.evaluate('look()')) as Seen;
}

/** Returns what the canvases have shown since the last call, a look for each frame of the page. */
async function recorded(page: Page): Promise<Seen[]> {
  return (await page.evaluate('looks.splice(0)')) as Seen[];
}

/** Runs in the page. A string, because Node has no types for it. */
const record = `{
  const [mouth, base] = [document.createElement('canvas'), document.createElement('canvas')].map((canvas) => canvas.getContext('2d', { willReadFrequently: true }));
  const pixels = (context, selector, [left, top, right, bottom], reduced) => {
    const from = document.querySelector(selector);
    const [x, y, width, height] = [left * from.width, top * from.height, (right - left) * from.width, (bottom - top) * from.height].map(Math.round);
    const size = { width: Math.round(width / reduced), height: Math.round(height / reduced) };
    Object.assign(context.canvas, size);
    context.drawImage(from, x, y, width, height, 0, 0, size.width, size.height);
    return context.getImageData(0, 0, size.width, size.height).data;
  };
  globalThis.look = () => {
    const face = pixels(mouth, '.robot-plane.face canvas', [118 / 320, 155 / 240, 202 / 320, 218 / 240], 1);
    let white = 0;
    for (let at = 0; at < face.length; at += 4) if (Math.min(face[at], face[at + 1], face[at + 2]) > 200) white += 1;
    const glow = pixels(base, '.robot-plane:not(.face) canvas', [0, 0, 1, 1], 4);
    const light = [0, 0, 0];
    let lit = 0;
    for (let at = 0; at < glow.length; at += 4) {
      if (glow[at + 3] > 8) lit += 1;
      for (const channel of [0, 1, 2]) light[channel] += (glow[at + channel] * glow[at + 3]) / 255;
    }
    const all = glow.length / 4;
    const wave = document.querySelector('.sound-wave');
    return {
      mouth: white / (face.length / 4),
      lit: lit / all,
      light: light.map((sum) => sum / all),
      sign: wave && getComputedStyle(wave).animationName,
      isSaid: document.querySelector('[role=group][aria-label*="It plays a sound."]') !== null,
    };
  };
  globalThis.looks = [];
  const frame = () => {
    looks.push(look());
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}`;
