import assert from 'node:assert/strict';
import { noteSentences, queueSentence } from '../../src/pages/robot/playground/request/note-sentences.js';

describe('noteSentences', () => {
  it('names what the person does not see as it was sent', () => {
    assert.deepEqual(noteSentences({ ok: true, truncated: ['question', 'answers[1]'], missing: ['Ꭳ', 'Ꮟ'], adjusted: ['color'] }), [
      'Cut on the screen: question, answers[1]',
      'Missing from the fonts: Ꭳ Ꮟ',
      'Shown differently than sent: color',
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

describe('queueSentence', () => {
  it('names the place in the queue, and says if what was in it was never shown', () => {
    assert.equal(queueSentence({ ok: true, queued: true, place: 2 }), "At place 2 in the robot's queue. It is shown when its turn comes.");
    assert.match(queueSentence({ ok: true, queued: true, outcome: 'timed_out' })!, /never shown/);
  });

  it('returns null for an answer of an action that is not in the queue', () => {
    for (const body of [{ ok: true }, { ok: true, outcome: 'answered' }, { ok: true, outcome: 'pending', queued: true }, null, 'text'])
      assert.equal(queueSentence(body), null);
  });
});
