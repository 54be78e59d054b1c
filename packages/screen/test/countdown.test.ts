import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cardScene, countdownFrame, nextRest, restText, shownRest, type CardArgs, type TextBox } from '../src/index.js';

function countdownOf(args: CardArgs): TextBox {
  const box = cardScene(args).boxes.find((each) => each.kind === 'text' && each.countdown !== undefined);
  assert.ok(box?.kind === 'text');
  return box;
}

describe('countdowns on cards', () => {
  it('writes seconds as minutes and hours', () => {
    assert.deepEqual([0, 9, 59, 60, 299, 3599, 3600, 3723, 86_400].map(restText), [
      '0:00',
      '0:09',
      '0:59',
      '1:00',
      '4:59',
      '59:59',
      '1:00:00',
      '1:02:03',
      '24:00:00',
    ]);
  });

  it('changes each second up to an hour and every ten seconds above it, and never shows less than what is left', () => {
    assert.deepEqual([3600, 3601, 3610, 3611].map(shownRest), [3600, 3610, 3610, 3620]);
    assert.deepEqual([86_400, 3620, 3610, 3600, 1].map(nextRest), [86_390, 3610, 3600, 3599, 0]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 86_400 }), (rest) => {
        const shown = shownRest(rest);
        assert.ok(shown >= rest && shown < rest + 10);
        if (shown > 0) assert.ok(nextRest(shown) < shown && nextRest(shown) >= 0);
      }),
    );
  });

  it('shows its text at the end in place of 0:00, and draws every second of a card in the same place', () => {
    const scene = cardScene({ title: 'Tea', countdown: { rest: 240, done: 'Ready' } });
    for (const rest of [240, 1, 0]) assert.deepEqual(countdownFrame(scene, rest), cardScene({ title: 'Tea', countdown: { rest, done: 'Ready' } }));
    const end = countdownFrame(scene, 0).boxes.find((box) => box.kind === 'text' && box.countdown !== undefined) as TextBox;
    assert.deepEqual([end.text, end.name], ['Ready', 'countdown.done']);
    assert.equal(countdownOf({ countdown: { rest: 0 } }).text, '0:00');
  });

  it('overlaps no other part of the card and has at least 40 px of height, in every combination', () => {
    const parts = fc.subarray(['title', 'text', 'note', 'icon', 'progress'] as const);
    fc.assert(
      fc.property(parts, (names) => {
        const values = { title: 'A title', text: 'A few words of text', note: 'A note', icon: 'timer', progress: 0.5 };
        const args = Object.fromEntries(names.map((name) => [name, values[name]])) as CardArgs;
        const { boxes } = cardScene({ ...args, countdown: { rest: 4000 } });
        const own = boxes.find((box) => box.kind === 'text' && box.countdown !== undefined)!;
        assert.ok(own.h >= 40, `${own.h} px`);
        for (const { x, y, w, h } of boxes.filter((box) => box !== own))
          assert.ok(x + w <= own.x || x >= own.x + own.w || y + h <= own.y || y >= own.y + own.h, JSON.stringify({ x, y, w, h, own }));
      }),
    );
  });

  it('names its text in the notes where it is not drawn as it was sent', () => {
    assert.deepEqual(cardScene({ countdown: { rest: 5, done: 'a\u202eb' } }).notes, { adjusted: ['countdown.done'] });
    assert.deepEqual(cardScene({ countdown: { rest: 5, done: 'x '.repeat(2000) } }).notes, { truncated: ['countdown.done'] });
  });
});
