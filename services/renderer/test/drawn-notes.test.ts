import './no-host-fonts.js';
import assert from 'node:assert/strict';
import { hasInk, type PictureNotes } from '@perch/schema';
import { bubbleScene, cardScene, menuScene, questionScene, type Scene, type TextBox } from '@perch/screen';
import fc from 'fast-check';
import { drawPicture } from '../src/draw-picture.js';
import { drawScene } from '../src/draw-scene.js';
import { pageMark } from '../src/text/draw-text.js';
import { pageMarkHeight } from '../src/text/fit-text.js';
import { drawJob } from './jobs.js';

async function notesOf(scene: Scene): Promise<PictureNotes | undefined> {
  const made = await drawPicture(drawJob(scene), new Map());
  assert.equal(made.kind, 'picture');
  return (made as { notes?: PictureNotes }).notes;
}

async function saidBy(scene: Scene): Promise<string | undefined> {
  return (await drawPicture(drawJob(scene), new Map())).says;
}

const long = 'The quick brown fox jumps over the lazy dog. '.repeat(20);

describe('the notes on a picture', () => {
  it('the notes are empty for texts and colours that are shown as they were sent', async () => {
    for (const scene of [
      cardScene({ title: 'Build', text: '42 %', note: '3 min left', progress: 0.42, color: 'green' }),
      cardScene({ text: 'हिन्दी 日本語 مرحبا 👩‍👩‍👧‍👦 soft\u00adhyphen', title: '' }),
      cardScene({ background: 'red' }),
      questionScene({ question: 'Tea or coffee?', answers: ['Tea', 'Coffee', '☕', 'Neither of the two'] }).scene,
      menuScene({ title: 'Lunch', items: ['🍕 Pizza', { label: 'Salad' }] }, [null, null]).scene,
      bubbleScene('Good morning!'),
    ])
      assert.deepEqual(await notesOf(scene), {});
  });

  it('the notes name each argument whose text was cut', async () => {
    assert.deepEqual(await notesOf(cardScene({ title: long, text: long, note: 'short' })), { truncated: ['title', 'text'] });
    assert.deepEqual(await notesOf(questionScene({ question: long, answers: ['Yes', long] }).scene), { truncated: ['question', 'answers[1]'] });
    const menu = menuScene({ title: long, items: [`🍕 ${long}`, { label: long }, 'Salad'] }, [null, null, null]).scene;
    assert.deepEqual(await notesOf(menu), { truncated: ['title', 'items[0]', 'items[1].label'] });
    assert.deepEqual(await notesOf(bubbleScene(long)), { truncated: ['text'] });
  });

  it('the notes name a text whose end is cut although little of it has a width', async () => {
    assert.deepEqual((await notesOf(cardScene({ text: `א${'\u200f'.repeat(2000)}ב` })))?.truncated, ['text']);
  });

  it('the notes list each character without a font once, also a mark that is left out, but none that was cut', async () => {
    assert.deepEqual(await notesOf(cardScene({ text: 'a Ꭳ Ꮟ Ꭳ 日\u0334', note: 'Ꭳ' })), { missing: ['Ꭳ', 'Ꮟ', '\u0334'] });
    assert.deepEqual(await notesOf(cardScene({ text: `${long} Ꭳ` })), { truncated: ['text'] });
  });

  it('the notes name a colour that is shown on a plate or a bar in a frame, but no other colour', async () => {
    assert.deepEqual(await notesOf(cardScene({ text: 'x', color: 'red', background: 'red' })), { adjusted: ['color'] });
    assert.deepEqual(await notesOf(cardScene({ progress: 0.5, color: 'red', background: 'red' })), { adjusted: ['color'] });
    assert.deepEqual(await notesOf(cardScene({ note: 'x', color: 'red', background: 'red' })), {});
    assert.deepEqual(await notesOf(cardScene({ text: 'x', background: 'white' })), {});
  });

  it('the notes name a text from which characters were removed', async () => {
    const scene = questionScene({ question: '\u202ekcatta?', answers: [`z${'\u0301'.repeat(9)}`, 'no\u0007', '\ud800', 'a\tb'] }).scene;
    assert.deepEqual(await notesOf(scene), { adjusted: ['question', 'answers[0]', 'answers[1]', 'answers[2]'] });
  });
});

describe('ink', () => {
  async function pixelsOf(text: string): Promise<number> {
    const canvas = await drawScene(cardScene({ text, background: '#000000', color: '#ffffff' }), new Map());
    const { data } = canvas.getContext('2d').getImageData(0, 0, 320, 240);
    let lit = 0;
    for (let i = 0; i < data.length; i += 4) if ((data[i] ?? 0) + (data[i + 1] ?? 0) + (data[i + 2] ?? 0) > 60) lit++;
    return lit;
  }

  it('every text that hasInk accepts has visible pixels on the screen', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary', maxLength: 3 }), fc.string({ unit: 'grapheme', maxLength: 3 })), async (text) => {
        fc.pre(hasInk(text));
        assert.ok((await pixelsOf(text)) > 0, JSON.stringify(text));
      }),
      { numRuns: process.env['PERCH_TEST_LONG'] === '1' ? 1000 : 100 },
    );
  });
});

describe('the texts of a picture, for people who do not see it', () => {
  it('joins the words of a card in their order, without the time that is left and with what follows it', async () => {
    assert.equal(await saidBy(cardScene({ title: 'Build', text: '42 %\nof all', note: 'Done soon!' })), 'Build. 42 % of all. Done soon!');
    assert.equal(await saidBy(cardScene({ qr: 'x', note: 'Scan it' })), 'QR code. Scan it.');
    assert.equal(await saidBy(cardScene({ text: 'Tea', note: 'Green', countdown: { rest: 240_000 } })), 'Tea. Green.');
    assert.equal(await saidBy(cardScene({ text: 'Tea', countdown: { rest: 0, done: 'Ready' } })), 'Tea. Ready.');
    assert.equal(await saidBy(cardScene({ text: '👍'.repeat(500) })), `${'👍'.repeat(400)}…`);
    assert.equal(await saidBy(cardScene({ progress: 0.4 })), undefined);
  });
});

describe('the mark of a page', () => {
  it('is whole on the screen at its longest, and does not say on the last page that a tap turns it', async () => {
    const box = { kind: 'text', x: 12, y: 8, w: 296, h: pageMarkHeight, color: '#ffffff', sizeMax: 16, sizeMin: 16, linesMax: 1 } as const;
    for (const turn of ['words', 'arrow', undefined] as const) {
      const text = pageMark(turn, 9, 10);
      const mark: TextBox = { ...box, text, align: 'center', valign: 'middle', weight: 400, name: 'mark' };
      assert.deepEqual(await notesOf({ w: 320, h: 240, background: '#000000', boxes: [mark] }), {}, text);
    }
    assert.equal(pageMark('words', 9, 10), 'page 9 of 10 · tap here for the next');
    assert.deepEqual(
      (['words', 'arrow', undefined] as const).map((turn) => pageMark(turn, 10, 10)),
      ['page 10 of 10', '10/10', '10/10'],
    );
  });
});
