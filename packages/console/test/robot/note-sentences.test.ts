import assert from 'node:assert/strict';
import { noteSentences, queueSentence } from '../../src/pages/robot/playground/request/note-sentences.js';

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

describe('queueSentence', () => {
  it('names the place in the queue, and says if nobody saw what was in it', () => {
    assert.equal(queueSentence({ ok: true, queued: true, place: 2 }), 'In the queue of the robot, at place 2. It shows when its turn comes.');
    assert.match(queueSentence({ ok: true, queued: true, outcome: 'timed_out' })!, /nobody saw it/);
  });

  it('returns null for an answer of an action that is not in the queue', () => {
    for (const body of [{ ok: true }, { ok: true, outcome: 'answered' }, { ok: true, outcome: 'pending', queued: true }, null, 'text'])
      assert.equal(queueSentence(body), null);
  });
});
