import assert from 'node:assert/strict';
import fc from 'fast-check';
import { contrast, questionScene, theme, type QuestionArgs, type TappableScene } from '../src/index.js';
import { assertTappable } from './layouts.js';
import { anyText } from './texts.js';

describe('questionScene', () => {
  it('gives every answer of any question its own button: on the screen, large enough for a finger, where it is drawn', () => {
    fc.assert(
      fc.property(anyText, fc.array(anyText, { minLength: 2, maxLength: 4 }), (question, answers) => {
        assertTappable(questionScene({ question, answers }), answers.length);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the question clear of the buttons', () => {
    fc.assert(
      fc.property(anyText, fc.array(anyText, { minLength: 2, maxLength: 4 }), (question, answers) => {
        const { scene, targets } = questionScene({ question, answers });
        const top = Math.min(...targets.map((target) => (target.shape === 'rect' ? target.y : 0)));
        const first = scene.boxes[0];
        if (first?.kind === 'text') assert.ok(first.y + first.h < top);
      }),
    );
  });

  it('places two short answers side by side, and two long ones below each other', () => {
    const short = questionScene({ question: 'Ready?', answers: ['Yes', 'No'] }).targets;
    const long = questionScene({ question: 'Ready?', answers: ['Yes, and do not ask me again', 'No, not before tomorrow morning'] }).targets;
    const ys = (targets: typeof short): number[] => targets.map((target) => (target.shape === 'rect' ? target.y : NaN));
    assert.equal(new Set(ys(short)).size, 1);
    assert.equal(new Set(ys(long)).size, 2);
  });

  it('places answers of wide letters and whole Korean words below each other where they do not fit side by side', () => {
    for (const answers of [
      ['സ്ക്രീനിൽ', 'മലയാളം', 'നമസ്കാരം'],
      ['산책하러갑시다', '아니요', '다음에'],
    ])
      assert.equal(new Set(questionScene({ question: 'x', answers }).targets.map((target) => (target.shape === 'rect' ? target.y : NaN))).size, 3);
  });

  it('keeps the order of the answers', () => {
    const { scene } = questionScene({ question: 'Which?', answers: ['A', 'B', 'C', 'D'] });
    const texts = scene.boxes.flatMap((box) => (box.kind === 'text' ? [box] : []));
    assert.deepEqual(
      texts.map((box) => box.text),
      ['Which?', 'A', 'B', 'C', 'D'],
    );
    const [, a, b, c, d] = texts;
    assert.ok(a && b && c && d && a.x < b.x && a.y === b.y && a.y < c.y && c.x === a.x && d.x === b.x);
  });

  it('uses a readable text colour on its buttons', () => {
    const { scene } = questionScene({ question: 'Ready?', answers: ['Yes', 'No'] });
    const button = scene.boxes.find((box) => box.kind === 'fill');
    const text = scene.boxes.find((box) => box.kind === 'text' && box.text === 'Yes');
    assert.ok(button?.kind === 'fill' && text?.kind === 'text');
    assert.ok(contrast(button.color, text.color) >= 4.5);
    assert.ok(contrast(scene.background, '#ffffff') >= 4.5);
  });

  it('draws answers that do not count yet in a readable grey, at the same places, and the answer that denies as later', () => {
    const args = { question: 'Ready?', answers: ['Yes', 'Later', 'No'], icons: ['check', '', 'x'], page: 0, whole: true };
    const [live, grey] = [args, { ...args, grey: true, deny: 2 }].map(questionScene);
    assert.deepEqual(grey!.targets, live!.targets);
    const colors = ({ scene }: TappableScene): string[][] =>
      (['fill', 'text', 'icon'] as const).map((kind) => scene.boxes.flatMap((box) => (box.kind === kind ? [box.color] : [])));
    const { button, text, grey: fill, greyText } = theme;
    assert.deepEqual(colors(live!), [
      [button, button, button],
      [text, text, text, text],
      [text, text],
    ]);
    assert.deepEqual(colors(grey!), [
      [fill, fill, theme.background],
      [text, greyText, greyText, text],
      [greyText, text],
    ]);
    assert.ok(contrast(theme.grey, theme.greyText) >= 4.5);
    assert.ok(contrast(theme.grey, theme.button) >= 2, 'visibly not live');
  });

  it('draws the answer that denies as an outline where the others are filled, grey or not, and changes nothing without one', () => {
    const args = { question: 'Ready?', answers: ['Allow', 'Deny'] };
    const buttonsOf = (more: Partial<QuestionArgs>): unknown[] =>
      questionScene({ ...args, ...more }).scene.boxes.flatMap((box) =>
        box.kind === 'fill' ? [[box.color, box.border?.color, box.border?.width]] : [],
      );
    const { background, button, buttonEdge, grey, greyEdge, text } = theme;
    assert.deepEqual(buttonsOf({ deny: 1 }), [
      [button, buttonEdge, 2],
      [background, text, 3],
    ]);
    assert.deepEqual(buttonsOf({ deny: 0, grey: true }), [
      [background, text, 3],
      [grey, greyEdge, 2],
    ]);
    assert.deepEqual(buttonsOf({}), [
      [button, buttonEdge, 2],
      [button, buttonEdge, 2],
    ]);
    // To eyes that see no colours too.
    assert.ok(contrast(background, button) >= 3 && contrast(text, background) >= 4.5);
  });

  it('says that a tap turns the pages of a question that must be read whole: in words where its language is English or not said, else with an arrow', () => {
    const turnOf = (more: object): string | undefined =>
      questionScene({ question: 'Ready?', answers: ['Yes', 'No'], ...more })
        .scene.boxes.filter((box) => box.kind === 'text')
        .find(({ name }) => name === 'question')!.pageTurn;
    assert.deepEqual(
      [{ page: 0, whole: true }, { page: 0, whole: true, lang: 'en-GB' }, { page: 0, whole: true, lang: 'de' }, { page: 0 }, { whole: true }].map(
        turnOf,
      ),
      ['words', 'words', 'arrow', undefined, undefined],
    );
  });
});
