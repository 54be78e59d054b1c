import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type { Page } from 'playwright-core';
import { halves } from '../fixture/media/pictures.js';
import { PageRobot } from './fixture/page-robot.js';
import { onBrowserSystem } from './fixture/browser-suite.js';

const sides = [
  { id: 'left', rect: [0, 0, 160, 240] },
  { id: 'right', rect: [160, 0, 160, 240] },
];

onBrowserSystem("the virtual robot's controls", ({ visit }) => {
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

  it('a screen reader gets the words of the card and question on the screen, and is told that the robot asks', async () => {
    const pip = await PageRobot.open(visit);
    await pip.act('show', { title: 'Build', text: '42 %', note: 'Done at six' });
    await pip.said(/shows a picture, which says: “Build\. 42 %\. Done at six\.”/);
    await pip.act('ask', { question: 'Deploy?', answers: ['Allow', 'Deny'], whole: true, detach: true, timeout_s: 600 });
    await pip.said(/shows a picture, which says: “Deploy\? Answers: Allow, Deny\.”/);
    await pip.page.getByRole('status').getByText('The robot asks: Deploy? Answers: Allow, Deny.').waitFor({ state: 'attached' });
    const watched = await pip.user.context.newPage();
    await watched.goto(`/robots/${pip.id}`);
    const drawn = watched.getByRole('img');
    await drawn.and(watched.getByLabel(/says: “Deploy\? Answers: Allow, Deny\.”/)).waitFor();
    await pip.act('stop', {});
    await drawn.and(watched.getByLabel(/says: “Build\. 42 %\. Done at six\.”/)).waitFor();
  });

  it('on a desktop, the whole robot stays in view beside its last control, 1280 pixels wide and 900, 720 and 600 high', async () => {
    const { page } = await PageRobot.open(visit, { width: 1280, height: 900 });
    const stage = page.getByRole('region', { name: 'The robot' });
    for (const height of [900, 720, 600]) {
      await page.setViewportSize({ width: 1280, height });
      await page.evaluate('scrollTo(0, 0)');
      await page.getByRole('button', { name: 'Restart' }).scrollIntoViewIfNeeded();
      await until(
        async () => {
          const [head, box] = [await page.locator('.shell-head').boundingBox(), await stage.boundingBox()];
          return box!.y >= head!.y + head!.height && box!.y + box!.height <= height;
        },
        { what: `the robot in view, ${height} pixels high` },
      );
    }
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
    await pip.bringIntoView();
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
});

async function middleOf(page: Page, zone: string): Promise<{ x: number; y: number }> {
  const box = await page.locator(`[data-zone="${zone}"]`).boundingBox();
  assert.ok(box);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
