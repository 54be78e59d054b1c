import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { loudestSemitone } from '../fixture/media/tone.js';
import { PageRobot } from './fixture/page-robot.js';
import { onBrowserSystem } from './fixture/browser-suite.js';
import { touchScreen } from './fixture/robot-screen.js';
import { left } from '../fixture/robots/question.js';

interface Heard {
  when: number;
  rate: number;
  state: string;
  samples: number[];
}

onBrowserSystem("the virtual robot's drawing and sound", ({ visit }) => {
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
    // The LED values of named colours are chosen by eye; those of purple have less green than the colour on a screen.
    const looks = wanted.map((color) => (color === '#af52de' ? '#d400f7' : color));
    for (const [index, color] of drawn.entries()) assert.ok(apart(color!, looks[index]!) <= 24, `LED ${index}: ${color} for ${wanted[index]}`);
    await pip.act('leds', { effect: 'rainbow' });
    await pip.said(/LEDs run the effect rainbow/);
  });

  it('the drawing follows a head that has turned away, whose screen then takes taps', async () => {
    const pip = await PageRobot.open(visit);
    await pip.page.emulateMedia({ reducedMotion: 'no-preference' });
    await pip.act('move', { gesture: 'nod' });
    await pip.act('move', { yaw: 100, pitch: 60 });
    await pip.press('Follow the head');
    await pip.made('tap', () => pip.click(160, 120));
  });

  it('a screen that a program switched off is drawn dark; a question lights it, and the first touch of it does no more', async () => {
    const pip = await PageRobot.open(visit);
    await pip.act('command', { command: 'screen', args: { on: false } });
    await pip.said(/Its screen is dark; a touch lights it\./);
    const asking = pip.act('ask', { question: 'Tea?', answers: ['Yes', 'No'], timeout_s: 60 });
    assert.equal((await pip.answered(asking, ...left)).answer, 'Yes');
    await pip.said(/Its screen is dark; a touch lights it\./);
    await pip.click(160, 120);
    await pip.said(/Its screen shows a calm face/);
    await pip.act('command', { command: 'brightness', args: { pct: 4 } });
    await pip.act('command', { command: 'screen', args: { on: true } });
    await pip.said(/Its screen is too dark to read; a touch lights it\./);
  });

  it('a click, a key and a press without any duration are told as touches of at least 80 ms', async () => {
    const pip = await PageRobot.open(visit);
    const touches: { kind: string; held_ms: number }[] = [];
    pip.page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        const message = JSON.parse(String(payload)) as { t: string; kind: string; held_ms: number };
        if (message.t === 'in' && message.kind === 'touch_up') touches.push(message);
      }),
    );
    await pip.page.reload();
    await pip.online();
    await pip.click(160, 120);
    const screen = touchScreen(pip.page);
    await screen.focus();
    await screen.press('Enter');
    await pip.page.evaluate(`(() => {
      const screen = document.querySelector('[aria-label="Touch screen"]');
      screen.setPointerCapture = () => undefined;
      const at = { bubbles: true, button: 0, pointerId: 1, clientX: 5, clientY: 5 };
      for (const type of ['pointerdown', 'pointerup']) screen.dispatchEvent(new PointerEvent(type, at));
    })()`);
    await until(() => touches.length === 3, { what: 'three touches' });
    for (const { held_ms } of touches) assert.ok(held_ms >= 80, `${held_ms} ms`);
  });

  it('a sound plays while it arrives, and from its current position once the user has turned the sound on', async () => {
    const pip = await PageRobot.open(visit);
    const { page } = pip;
    await until(async () => page.evaluate(`contexts.some(({ state }) => state === 'running')`), {
      what: 'the page to be let sound',
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

    const untouched = await pip.user.tab();
    // The driver's input counts as user activation.
    await untouched.addInitScript(`Object.defineProperty(navigator, 'userActivation', { value: { hasBeenActive: false } })`);
    await untouched.goto(`/virtual/${pip.id}`);
    await pip.online(untouched);
    await pip.act('sound', { notes: 'C5:30000' });
    await untouched.getByText('A sound is playing, but the browser blocks it').waitFor();
    assert.deepEqual(await untouched.evaluate('heard'), []);
    await untouched.getByRole('button', { name: 'Turn sound on' }).click();
    await until(async () => ((await untouched.evaluate('heard.length')) as number) > 0, { what: 'the rest of the sound' });
  });

  it('says so when sound stays off after it was turned on, as where the device has no output', async () => {
    // What a browser without an output does: the context is made, and its resumption neither ends nor fails.
    const script = `AudioContext.prototype.resume = () => new Promise(() => undefined);
      Object.defineProperty(BaseAudioContext.prototype, 'state', { get: () => 'suspended' });`;
    const pip = await PageRobot.open((options) => visit({ ...options, own: true, script: `${options?.script};${script}` }));
    await pip.page.getByRole('button', { name: 'Turn sound on' }).click();
    await pip.page.getByText('The browser does not turn sound on. Check that this device has speakers or headphones').waitFor();
  });
});

function apart(a: string, b: string): number {
  return Math.max(...[1, 3, 5].map((at) => Math.abs(Number.parseInt(a.slice(at, at + 2), 16) - Number.parseInt(b.slice(at, at + 2), 16))));
}
