/** The virtual robot's page in a real browser: it shows and plays what programs do, and its controls yield events. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { until } from '@perch/testkit';
import { halves } from '../fixture/media/pictures.js';
import { loudestSemitone } from '../fixture/media/tone.js';
import { PageRobot } from './fixture/page-robot.js';
import { onBrowserSystem } from './fixture/browser-suite.js';

interface Heard {
  when: number;
  rate: number;
  state: string;
  samples: number[];
}

const sides = [
  { id: 'left', rect: [0, 0, 160, 240] },
  { id: 'right', rect: [160, 0, 160, 240] },
];

onBrowserSystem('a virtual robot in the page', ({ visit }) => {
  it('a click on the drawn screen answers ask, menu and clickmap', async () => {
    const pip = await PageRobot.open(visit);
    const asked = await pip.answered(pip.act('ask', { question: 'Tea?', answers: ['Yes', 'No'], timeout_s: 60 }), 260, 170);
    assert.deepEqual([asked.answer, asked.index], ['No', 1]);
    await pip.said(/shows a calm face/);

    const chosen = await pip.answered(pip.act('menu', { items: ['Walk', { id: 'zzz', label: 'Sleep' }], timeout_s: 60 }), 240, 150);
    assert.deepEqual([chosen.item, chosen.label, chosen.index], ['zzz', 'Sleep', 1]);

    const hit = await pip.answered(pip.act('clickmap', { image: halves(320, 240, '#202060', '#602020'), regions: sides, timeout_s: 60 }), 200, 50);
    assert.equal(hit.region, 'right');
    assert.ok(Math.abs(hit.x - 200) <= 2 && Math.abs(hit.y - 50) <= 2, `${hit.x}, ${hit.y}`);
    await pip.said(/shows a picture/);
    await pip.act('show', { clear: true });
    await pip.said(/shows a calm face/);
  });

  it('the controls of the virtual robot yield every event', async () => {
    const pip = await PageRobot.open(visit);
    const { page } = pip;
    const tap = await pip.made('tap', () => pip.click(100, 60));
    assert.ok(Math.abs(Number(tap['x']) - 100) <= 2 && Math.abs(Number(tap['y']) - 60) <= 2, JSON.stringify(tap));
    await pip.hold(...(await pip.spot(160, 120)), 900);
    await pip.event('long_press');

    await pip.press('Pat');
    assert.ok(Number((await pip.event('pat'))['ms']) < 700);
    await pip.press('Pet');
    assert.ok(Number((await pip.event('pet'))['seconds']) >= 0.7);
    await pip.press('Stroke forward');
    assert.deepEqual(await pip.event('stroke'), { direction: 'forward' });
    const [from, to] = [await middleOf(page, 'front'), await middleOf(page, 'back')];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 5 });
    await page.mouse.up();
    assert.deepEqual(await pip.event('stroke'), { direction: 'back' });

    await pip.press('Shake it');
    await pip.event('shaken');
    await pip.press('Lift it');
    await pip.event('picked_up');
    await pip.press('Walk up');
    await pip.event('near');
    await pip.press('Walk away');
    await pip.event('away');

    await page.getByLabel('Text on the tag').fill('grüß dich');
    await pip.press('Present tag');
    const tag = await pip.event('tag');
    assert.deepEqual([tag['text'], tag['type']], ['grüß dich', 'NTAG216']);
    await pip.press('Remove tag');
    assert.equal((await pip.event('tag_removed'))['uid'], tag['uid']);
    await page.getByText('URL', { exact: true }).click();
    await page.getByLabel('URL on the tag').fill('https://www.example.org/pip');
    await pip.press('Present tag');
    assert.equal((await pip.event('tag'))['text'], 'https://www.example.org/pip');

    await page.getByRole('button', { name: 'Play or pause' }).click();
    assert.deepEqual(await pip.event('remote'), { address: 0, command: 0x43 });
    await pip.press('Unplug USB');
    await pip.event('unplugged');
    await pip.press('Plug USB in');
    await pip.event('plugged');
    await pip.made(
      'button',
      () => pip.press('Power button'),
      ({ press }) => press === 'short',
    );
    const power = await page.getByRole('button', { name: 'Power button' }).boundingBox();
    await pip.hold(power!.x + 20, power!.y + 20, 1100);
    assert.deepEqual(await pip.event('button'), { press: 'long' });
    await pip.press('Restart');
    await pip.event('connected');
    await pip.online();
  });

  it('the virtual robot can be used by keyboard alone', async () => {
    const pip = await PageRobot.open(visit);
    const { page } = pip;
    await page.getByRole('application', { name: 'Touch screen' }).focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('Finger up at 150, 121').waitFor({ state: 'attached' });
    assert.deepEqual(await pip.made('tap', () => page.keyboard.press('Enter')), { x: 150, y: 121 });
    await page.keyboard.down(' ');
    await page.waitForTimeout(900);
    await page.keyboard.up(' ');
    assert.deepEqual(await pip.event('long_press'), { x: 150, y: 121 });
    for (const [name, event] of [
      ['Pat', 'pat'],
      ['Shake it', 'shaken'],
      ['Walk up', 'near'],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).focus();
      await page.keyboard.press('Enter');
      await pip.event(event);
    }
    await page.getByRole('button', { name: 'Power button' }).focus();
    await page.keyboard.down('Enter');
    await page.waitForTimeout(1100);
    await page.keyboard.up('Enter');
    assert.deepEqual(await pip.event('button'), { press: 'long' });
  });

  it('the drawing shows face, bubble and head, and LEDs in the requested colours', async () => {
    const pip = await PageRobot.open(visit);
    for (const emotion of ['happy', 'angry', 'sad', 'doubt', 'sleepy', 'neutral']) {
      await pip.act('face', { emotion });
      await pip.page.locator(`.face[data-emotion="${emotion}"]`).waitFor();
    }
    await pip.act('say', { text: 'Good morning', seconds: 30 });
    await pip.said(/saying: “Good morning”/);
    await pip.act('face', { view: 'readings' });
    await pip.said(/shows its readings/);
    await pip.page.getByText(/^\d+ % \+$/).waitFor();
    await pip.act('move', { yaw: -30, pitch: 25 });
    await pip.said(/turned 30° to its right and 25° up/);
    const wanted = [
      '#ff0000',
      '#ff9500',
      '#ffff00',
      '#00ff00',
      '#00ffff',
      '#0000ff',
      '#af52de',
      '#ffffff',
      '#808080',
      '#402010',
      '#000000',
      '#ff5fa2',
    ];
    await pip.act('leds', { pixels: wanted });
    await pip.said(/left strip from the front back: red, orange, yellow, green, cyan, blue/);
    const drawn = await Promise.all(wanted.map((_, index) => pip.page.locator(`[data-led="${index}"]`).getAttribute('data-color')));
    for (const [index, color] of drawn.entries()) assert.ok(apart(color!, wanted[index]!) <= 24, `LED ${index}: ${color} for ${wanted[index]}`);
    await pip.act('leds', { effect: 'rainbow' });
    await pip.said(/LEDs run the effect rainbow/);
  });

  it('a sound plays while it arrives, and from its current position once the user has turned the sound on', async () => {
    const pip = await PageRobot.open(visit);
    const { page } = pip;
    await until(async () => page.evaluate(`contexts.some(({ state }) => state === 'running')`), {
      what: 'the page to be let sound',
      timeoutMs: 20_000,
    });
    await Promise.all([pip.said(/It plays a sound/), pip.act('sound', { notes: 'A4:1500 E5:1500', volume: 60 })]);
    await page.getByRole('button', { name: 'volume 60' }).waitFor();
    await pip.said(/LEDs are off\.$/);
    const heard = (await page.evaluate('heard')) as Heard[];
    const pcm = Buffer.from(Int16Array.from(heard.flatMap(({ samples }) => samples)).buffer);
    assert.ok(heard.length > 1, 'in parts');
    assert.ok(heard.every(({ rate, state }) => rate === 16_000 && state === 'running'));
    assert.ok(pcm.byteLength >= 2 * 16 * 3000, `${pcm.byteLength} bytes of 3 s`);
    assert.deepEqual([loudestSemitone({ pcm, rate: 16_000 }, 200, 1400), loudestSemitone({ pcm, rate: 16_000 }, 1700, 2900)], [69, 76]);

    const untouched = await pip.visitor.tab();
    // The driver's input counts as user activation.
    await untouched.addInitScript(`Object.defineProperty(navigator, 'userActivation', { value: { hasBeenActive: false } })`);
    await untouched.goto(`/virtual/${pip.id}`);
    await pip.online(untouched);
    await pip.act('sound', { notes: 'C5:30000' });
    await untouched.getByText('A sound is playing, but the browser blocks it').waitFor();
    assert.deepEqual(await untouched.evaluate('heard'), []);
    await untouched.getByRole('button', { name: 'Turn sound on' }).click();
    await until(async () => ((await untouched.evaluate('heard.length')) as number) > 0, { what: 'the rest of the sound', timeoutMs: 20_000 });
  });

  for (const [theme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const) {
    it(`the virtual robot's page passes axe and fits the window (${theme}, ${width} px)`, async () => {
      const pip = await PageRobot.open(visit, { theme, width });
      // The library's announcement of a pressed button stays in the page for a while after the button has gone.
      await pip.page.locator('[data-live-announcer] [role=img]').first().waitFor({ state: 'detached' });
      assert.deepEqual(await pip.visitor.axe(), []);
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

async function middleOf(page: Page, zone: string): Promise<{ x: number; y: number }> {
  const box = await page.locator(`[data-zone="${zone}"]`).boundingBox();
  assert.ok(box);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Returns the largest difference of a colour channel, 0 to 255. */
function apart(a: string, b: string): number {
  return Math.max(...[1, 3, 5].map((at) => Math.abs(Number.parseInt(a.slice(at, at + 2), 16) - Number.parseInt(b.slice(at, at + 2), 16))));
}
