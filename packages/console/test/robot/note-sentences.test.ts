import assert from 'node:assert/strict';
import { noteSentences } from '../../src/pages/robot/playground/request/note-sentences.js';

describe('noteSentences', () => {
  it('names what the person does not see as it was sent', () => {
    assert.deepEqual(noteSentences({ ok: true, truncated: ['question', 'answers[1]'], missing: ['Ꭳ', 'Ꮟ'], adjusted: ['color'] }), [
      'Cut on the screen: question, answers[1]',
      'No font has: Ꭳ Ꮟ',
      'Shown otherwise than sent: color',
    ]);
  });

  it("names the action of a scene's notes", () => {
    assert.deepEqual(noteSentences({ ok: true, results: [{ ok: true }, { ok: true, truncated: ['text'] }] }), [
      'actions[1]: Cut on the screen: text',
    ]);
  });

  it('returns nothing for an answer without notes', () => {
    for (const body of [{ ok: true }, { ok: true, results: [{ ok: true }] }, null, 'text']) assert.deepEqual(noteSentences(body), []);
  });
});
