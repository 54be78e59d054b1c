import './no-host-fonts.js';
import assert from 'node:assert/strict';
import { cardScene, type CardArgs } from '@perch/screen';
import type { Canvas } from 'canvas';
import jsqr from 'jsqr';
import { drawScene } from '../src/draw-scene.js';

/** The package exports the function itself; its types are those of an ES module. */
const decode = jsqr as unknown as typeof jsqr.default;

async function card(args: CardArgs): Promise<Canvas> {
  return drawScene(cardScene(args), new Map());
}

function read(canvas: Canvas): string | undefined {
  const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return decode(new Uint8ClampedArray(data), width, height)?.data;
}

function rowsOf(canvas: Canvas, x: number, color: readonly [number, number, number]): number[] {
  const { data } = canvas.getContext('2d').getImageData(x, 0, 1, canvas.height);
  return Array.from({ length: canvas.height }, (_, y) => y).filter((y) => color.every((value, c) => Math.abs((data[4 * y + c] ?? 0) - value) < 12));
}

describe('QR codes', () => {
  it('draws QR codes that a decoder reads, in every combination with texts, up to their greatest lengths', async () => {
    const address = 'https://example.com/';
    const other = { title: 'A title', text: 'A text beside it', note: 'A note', icon: 'wifi' };
    const names = Object.keys(other) as (keyof typeof other)[];
    for (let bits = 0; bits < 16; bits++) {
      const beside = Object.fromEntries(names.filter((_, i) => (bits & (1 << i)) !== 0).map((name) => [name, other[name]]));
      for (const qr of ['x', address, address.padEnd(bits === 0 ? 331 : 106, 'aB3-')]) {
        assert.equal(read(await card({ qr, ...beside })), qr, `${qr.length} characters beside ${Object.keys(beside).join(' ')}`);
      }
    }
  });

  it('draws QR codes black on white on any background', async () => {
    for (const background of ['white', 'red', '#000000'])
      assert.equal(read(await card({ qr: 'Hello', background, color: 'blue', note: 'x' })), 'Hello');
  });

  it('draws QR codes of texts beyond ASCII', async () => {
    const qr = 'Grüße 日本 🎉';
    assert.equal(read(await card({ qr, title: 'x' })), qr);
  });
});

describe('sparklines', () => {
  const white = [255, 255, 255] as const;
  const rows = async (sparkline: (number | null)[], x: number): Promise<number[]> => rowsOf(await card({ sparkline, color: 'white' }), x, white);

  it('draws a sparkline that rises from the lowest to the highest number', async () => {
    const [first, middle, last] = await Promise.all([24, 160, 296].map((x) => rows([0, 50, 100], x)));
    assert.ok(first?.[0] !== undefined && middle?.[0] !== undefined && last?.[0] !== undefined);
    assert.ok(first[0] > middle[0] + 30 && middle[0] > last[0] + 30);
  });

  it('draws a sparkline at half height if all numbers are equal', async () => {
    for (const value of [0, 7, -1e308]) {
      const [top = 0] = await rows([value, value, value], 160);
      assert.ok(Math.abs(top - 119) <= 2, `${value}: ${top}`);
    }
  });

  it('leaves a gap in a sparkline where a number is missing, and draws a dot for a number between two gaps', async () => {
    const values = [1, 1, null, 1, null, 1, 1];
    assert.equal((await rows(values, 160)).length > 2, true);
    assert.deepEqual(await rows(values, 115), []);
    assert.deepEqual(await rows(values, 205), []);
  });

  it('draws a sparkline of the greatest numbers', async () => {
    assert.ok((await rows([-1.7e308, 1.7e308], 24)).length > 0);
  });
});
