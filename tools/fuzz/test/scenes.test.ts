import assert from 'node:assert/strict';
import { jsonText } from '../src/generate/json.js';
import { scenesOf } from '../src/generate/scenes.js';
import { bodyOf, shuffled, subjectOf, systematic } from '../src/generate/subjects.js';
import { verdictOf } from '../src/verdicts.js';
import { action, actions } from './actions.js';

const own = new Map([['brightness', () => true]]);

describe('compound actions', () => {
  it('reads stop and scene from /v1/actions: stop takes no arguments, a scene lists eleven actions', () => {
    assert.equal(actions.length, 15);
    assert.equal(action('stop').steps, null);
    assert.deepEqual(action('stop').examples, [{}]);
    assert.equal(action('scene').steps?.size, 11);
    assert.equal(action('scene').answerFits({ ok: true, results: [{ ok: true }] }), true);
    assert.equal(action('scene').answerFits({ ok: true }), false);
  });

  it('generates a scene for each example of each action that a scene may contain', () => {
    const last = scenesOf(action('scene')).map(({ actions: steps }) => (steps as { action: string }[]).at(-1)!.action);
    assert.deepEqual([...new Set(last)].toSorted(), ['ask', 'clickmap', 'command', 'face', 'leds', 'menu', 'move', 'say', 'show', 'sound', 'speak']);
  });

  it('validates each step of a scene and names its field with its index', () => {
    const kind = (steps: unknown[]) => verdictOf(action('scene'), JSON.stringify({ actions: steps }), own);
    const face = { action: 'face', emotion: 'happy' };
    const ask = { action: 'ask', question: 'q', answers: ['a', 'b'], timeout_s: 2 };
    assert.deepEqual(kind([face, ask]), { kind: 'taken', pictures: [], heldMs: 2000 });
    assert.deepEqual(kind([{ ...face, at_ms: 30_000 }, face]), { kind: 'taken', pictures: [], heldMs: 30_000 });
    for (const [steps, field] of [
      [[ask, face], 'actions[0].action'],
      [[face, { action: 'say', text: '' }], 'actions[1].text'],
      [[{ action: 'show' }], 'actions[0]'],
      [[{ action: 'sound', notes: 'H4:100' }], 'actions[0].notes'],
      [[{ action: 'command', command: 'no_such' }], 'actions[0].command'],
      [[{ action: 'state' }], 'actions[0].action'],
      [[], 'actions'],
    ] as const) {
      const verdict = kind([...steps]);
      assert.ok(verdict.kind === 'refused' && verdict.fields.includes(field), `${JSON.stringify(steps)}: ${JSON.stringify(verdict)}`);
    }
  });

  it('generates valid and invalid single changes in the last step of a scene', () => {
    const subjects = [subjectOf(action('scene'))];
    const sent = systematic(subjects).map((each) => bodyOf(subjects, each));
    const inside = sent.filter(({ what }) => what.includes('say in a scene'));
    const verdicts = new Set(inside.map(({ served, text }) => verdictOf(served, text, own).kind));
    assert.deepEqual([...verdicts].toSorted(), ['refused', 'taken']);
    assert.ok(
      sent.every(({ text }) => !text.includes('"timeout_s":30')),
      'waits end soon',
    );
  });
});

describe('single changes', () => {
  it('each single change of a scene comes once, in an order given by the seed', () => {
    const each = systematic([subjectOf(action('say'))]);
    const [a, b] = [shuffled(each, 1), shuffled(each, 2)];
    assert.deepEqual(a, shuffled(each, 1));
    assert.notDeepEqual(a, b);
    assert.equal(new Set(a).size, each.length);
  });

  it('single changes of a scene keep fixed arguments', () => {
    const { bases } = subjectOf(action('say'), { text: 'fixed' });
    assert.ok(bases.every(({ body }) => jsonText(body).includes('"text":"fixed"')));
  });
});
