import assert from 'node:assert/strict';
import fc from 'fast-check';
import { bubbleScene, cardScene, menuScene, ownScreenScene, questionScene, type Scene } from '../src/index.js';
import { anyText } from './texts.js';

/** Read on a screen of 2 inches at 60 cm, px. */
const least = { text: 20, small: 16 } as const;

function sizesOf(scene: Scene): [name: string, size: number][] {
  return scene.boxes.flatMap((box): [string, number][] => (box.kind === 'text' || box.kind === 'markdown' ? [[box.name ?? '', box.sizeMin]] : []));
}

describe('the smallest sizes of texts', () => {
  it('the smallest sizes are 20 px for texts, questions, answers and the labels of tiles without a picture, and 16 px for titles, notes and captions', () => {
    fc.assert(
      fc.property(anyText, fc.array(anyText, { minLength: 2, maxLength: 4 }), (text, answers) => {
        const question = questionScene({ question: text, answers, icons: answers.map((_, i) => (i === 0 ? 'check' : '')) }).scene;
        for (const [name, size] of sizesOf(question)) assert.ok(size >= least.text, `${name} ${size}`);
        const cards = [{}, { mono: true }, { format: 'markdown' }, { qr: 'https://example.com' }, { icon: 'bell', sparkline: [1, 2] }] as const;
        for (const more of cards)
          for (const [name, size] of sizesOf(cardScene({ title: text, note: text, text, progress: 0.5, ...more })))
            assert.ok(size >= (name === 'text' ? least.text : least.small), `${name} ${size}`);
        const labels = answers.map((answer) => `a${answer}`);
        for (const [name, size] of sizesOf(
          menuScene(
            { title: text, items: labels },
            labels.map(() => null),
          ).scene,
        ))
          assert.ok(size >= (name === 'title' ? least.small : least.text), `${name} ${size}`);
        const pictured = menuScene({ title: text, items: [{ icon: 'bell', label: text }, ...answers.map((label) => ({ label }))] }, [
          null,
          ...answers.map((_, i) => `upload-${i}`),
        ]).scene;
        const own = { view: 'face', emotion: 'neutral', readings: { battery_pct: 81 } };
        const others = [bubbleScene(text), ownScreenScene({ ...own, bubble: text }), ownScreenScene({ ...own, view: 'readings', bubble: null })];
        for (const scene of [pictured, ...others]) for (const [name, size] of sizesOf(scene)) assert.ok(size >= least.small, `${name} ${size}`);
      }),
      { numRuns: 30 },
    );
  });
});
