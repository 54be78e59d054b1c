import '../no-host-fonts.js';
import assert from 'node:assert/strict';
import { cardScene, type CardArgs } from '@perch/screen';
import type { Canvas } from 'canvas';
import fc from 'fast-check';
import { drawScene } from '../../src/draw-scene.js';
import { DrawnNotes } from '../../src/drawn-notes.js';

interface Drawn {
  canvas: Canvas;
  truncated: string[] | undefined;
  missing: string[] | undefined;
}

async function draw(text: string, more: CardArgs = {}): Promise<Drawn> {
  const scene = cardScene({ text, format: 'markdown', ...more });
  const notes = new DrawnNotes(scene.notes);
  const canvas = await drawScene(scene, new Map(), notes);
  return { canvas, truncated: notes.get().truncated, missing: notes.get().missing };
}

function ink(canvas: Canvas): { left: number; right: number; top: number; bottom: number; pixels: number } {
  const { data } = canvas.getContext('2d').getImageData(0, 0, 320, 240);
  const found = { left: 320, right: -1, top: 240, bottom: -1, pixels: 0 };
  for (let i = 0; i < data.length; i += 4) {
    if ((data[i] ?? 0) < 120) continue;
    const [x, y] = [(i / 4) % 320, Math.floor(i / 4 / 320)];
    found.left = Math.min(found.left, x);
    found.right = Math.max(found.right, x);
    found.top = Math.min(found.top, y);
    found.bottom = Math.max(found.bottom, y);
    found.pixels++;
  }
  return found;
}

describe('Markdown on cards', () => {
  it('draws bold text bold', async () => {
    const [plain, bold] = [ink((await draw('Hello')).canvas), ink((await draw('**Hello**')).canvas)];
    assert.ok(bold.pixels > 1.15 * plain.pixels && bold.right > plain.right);
  });

  it('aligns Markdown to the left, to the right for text from right to left, and to the middle if asked', async () => {
    const left = ink((await draw('- one\n- two')).canvas);
    const right = ink((await draw('- שלום\n- עולם')).canvas);
    const middle = ink((await draw('one', { align: 'center' })).canvas);
    assert.ok(left.left < 45 && left.right < 200, JSON.stringify(left));
    assert.ok(right.right > 275 && right.left > 120, JSON.stringify(right));
    assert.ok(Math.abs(middle.left - (320 - middle.right)) < 6, JSON.stringify(middle));
  });

  it('draws Markdown as large as fits, and not larger than 40 px', async () => {
    const [short, long] = [ink((await draw('x')).canvas), ink((await draw('word '.repeat(40))).canvas)];
    assert.ok(short.bottom - short.top < 40);
    assert.ok(long.bottom - long.top > 120 && long.bottom < 240);
  });

  it('notes that the text is cut: a long text, a table with six rows, with wide cells or with many columns', async () => {
    const table = (rows: number, columns: number, cell: string): string =>
      [
        `| ${'h | '.repeat(columns)}`,
        `| ${'--- | '.repeat(columns)}`,
        ...Array.from({ length: rows }, () => `| ${`${cell} | `.repeat(columns)}`),
      ].join('\n');
    for (const text of [
      'word '.repeat(150),
      table(6, 1, 'x'),
      table(1, 2, 'A very long cell of this table'),
      table(2, 30, 'x'),
      'a\n\n'.repeat(20),
    ]) {
      assert.deepEqual((await draw(text)).truncated, ['text'], text.slice(0, 60));
    }
    for (const text of ['word', table(5, 1, 'x'), table(5, 3, 'short'), '- a\n- b\n- c\n\n`d`', '```\nif (a) {\n  return b;\n}\n```']) {
      assert.equal((await draw(text)).truncated, undefined, text.slice(0, 60));
    }
  });

  it('draws long texts, cells and code of any script in less than a second of processor time each', async () => {
    const row = (cell: string): string => `| a | b |\n|---|---|\n| ${cell} | x |`;
    const texts = ['日本語'.repeat(320), row('日本語'.repeat(320)), row('word '.repeat(190)), row('👍🏽'.repeat(900)), `\`${'காலை '.repeat(180)}\``];
    for (const text of texts) {
      const before = process.cpuUsage();
      await draw(text);
      const { user, system } = process.cpuUsage(before);
      const ms = (user + system) / 1000;
      assert.ok(ms < 1000, `${Math.round(ms)} ms for ${text.slice(0, 40)}`);
    }
  });

  it('notes characters of Markdown that no font has', async () => {
    assert.deepEqual((await draw('**Ꭳ** `b`')).missing, ['Ꭳ']);
  });

  it('draws Markdown inside its box, for any text and beside any other part', async () => {
    const parts = [
      '**',
      '`',
      '- ',
      '1. ',
      '| ',
      '|---|',
      '\n',
      '\n\n',
      '```\n',
      '# ',
      '> ',
      'word ',
      'Donaudampfschifffahrt',
      '日本語',
      'שלום ',
      '🎉',
      '\u00ad',
      'ไทย',
      'Ꭳ',
    ];
    const text = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 40 }).map((all) => all.join(''));
    const more = fc.record(
      {
        title: fc.constant(''),
        qr: fc.constant('x'),
        icon: fc.constant('x'),
        sparkline: fc.constant([1, 2]),
        align: fc.constantFrom('left' as const, 'right' as const),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(text, more, async (written, others) => {
        const scene = cardScene({ text: written, format: 'markdown', ...others });
        const box = scene.boxes.find(({ kind }) => kind === 'markdown');
        if (box === undefined) return;
        const { left, right, top, bottom } = ink(await drawScene({ ...scene, boxes: [box] }, new Map()));
        if (right < 0) return;
        assert.ok(left >= box.x - 3 && right <= box.x + box.w + 3 && top >= box.y - 3 && bottom <= box.y + box.h + 3);
      }),
      { numRuns: 120 },
    );
  });
});
