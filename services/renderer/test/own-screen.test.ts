import './no-host-fonts.js';
import assert from 'node:assert/strict';
import { ownScreenScene, type OwnScreen } from '@perch/screen';
import { bubbleTop, emotions, facePlace } from '@perch/screen/own-screen';
import { drawScene } from '../src/draw-scene.js';

const face: OwnScreen = { view: 'face', emotion: 'neutral', bubble: null, readings: {} };
const ground = '#0a0d14';
const ink = '#f2f6ff';

async function draw(own: Partial<OwnScreen>): Promise<{ at: (x: number, y: number) => string; count: (color: string) => number; all: string }> {
  const canvas = await drawScene(ownScreenScene({ ...face, ...own }), new Map());
  const { data } = canvas.getContext('2d').getImageData(0, 0, 320, 240);
  const hex = (i: number): string => `#${[...data.subarray(i, i + 3)].map((v) => v.toString(16).padStart(2, '0')).join('')}`;
  return {
    at: (x, y) => hex(4 * (y * 320 + x)),
    count: (color) => Array.from({ length: data.length / 4 }, (_, i) => hex(4 * i)).filter((each) => each === color).length,
    all: Buffer.from(data).toString('base64'),
  };
}

describe('a drawn face', () => {
  it('has the eyes where the page draws them: filled ellipses, a line for a smile, an eyelid of the ground colour', async () => {
    const neutral = await draw({});
    assert.deepEqual([neutral.at(2, 2), neutral.at(90, 110), neutral.at(231, 110)], [ground, ink, ink]);
    // Half an eye is 22 px wide and 28 px high, drawn 1.14 times as large.
    assert.deepEqual([neutral.at(90 + 23, 110), neutral.at(90 + 27, 110)], [ink, ground]);
    assert.deepEqual([neutral.at(90, 110 + 30), neutral.at(90, 110 + 34)], [ink, ground]);
    const happy = await draw({ emotion: 'happy' });
    assert.deepEqual([happy.at(87, 105), happy.at(87, 89)], [ground, ink]);
    assert.ok(happy.count('#ff7a8a') > 500, 'a tongue');
    const angry = await draw({ emotion: 'angry' });
    const onScreen = (x: number, y: number): string => angry.at(Math.round(x * 1.14 - 22), Math.round(y * 1.14 - 18));
    assert.deepEqual([onScreen(96, 120), onScreen(95, 89), onScreen(160, 120)], [ink, ink, ground], 'an eye, its brow, and nothing between the eyes');
  });

  it('differs for each emotion', async () => {
    const drawn = await Promise.all(emotions.map(async (emotion) => (await draw({ emotion })).all));
    assert.equal(new Set(drawn).size, emotions.length);
  });

  it('a drawn face is smaller above a bubble, which shows the text in any script', async () => {
    for (const text of ['Good morning!', 'おはようございます', 'صباح الخير', 'x'.repeat(80), '早'.repeat(80)]) {
      const said = await draw({ bubble: text });
      assert.equal(said.at(16, 226), '#ffffff', text);
      assert.ok(said.count('#12151c') > 100, text);
      const { x, y, scale } = facePlace(bubbleTop(text));
      assert.equal(said.at(Math.round(x + 98 * scale), Math.round(y + 108 * scale)), ink, 'an eye');
      assert.equal(said.at(Math.round(x + 160 * scale), Math.round(y + 176.5 * scale)), ink, 'the mouth');
    }
  });

  it('gives way to the readings', async () => {
    const readings = await draw({ view: 'readings', readings: { battery_pct: 81 } });
    assert.deepEqual([readings.at(14, 40), readings.at(160, 5)], ['#161c29', ground]);
    assert.ok(readings.count('#ffffff') > 50);
  });
});
