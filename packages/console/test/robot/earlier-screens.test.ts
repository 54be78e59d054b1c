import assert from 'node:assert/strict';
import { actionsDocument, type EarlierScreen } from '@perch/schema';
import { draftsOf } from '../../src/pages/robot/playground/draft/draft-of-args.js';
import { argsOf } from '../../src/pages/robot/playground/draft/draft.js';
import { type Field, fieldsOf, type JsonSchema } from '../../src/pages/robot/playground/controls/schema-fields.js';
import { callerOf, outcomeOf, textOf } from '../../src/pages/robot/screens/screen-words.js';

const screen = (more: Partial<EarlierScreen>): EarlierScreen => ({
  id: 's-1',
  at: '2026-11-24T06:00:00.000Z',
  action: 'show',
  via: 'http',
  key: { id: 'k-1', name: 'laptop' },
  outcome: 'ok',
  answer: null,
  x: null,
  y: null,
  tap_s: null,
  arguments: {},
  lacks: [],
  drawable: true,
  ...more,
});

function fieldsOfAction(action: string): Field[] {
  return fieldsOf(actionsDocument().actions.find(({ name }) => name === action)!.arguments as JsonSchema);
}

describe('the words for an earlier screen', () => {
  it('say what was on it', () => {
    const texts: [Partial<EarlierScreen>, string][] = [
      [{ arguments: { title: 'Build', text: '42 %.', note: '3 min left', progress: 0.42 } }, 'Card: Build. 42 %. 42 %. 3 min left'],
      [{ arguments: { countdown: { seconds: 5 }, icon: 'timer' } }, 'Card: Countdown. Icon timer'],
      [{ arguments: { background: 'blue' }, lacks: ['image'] }, 'Card'],
      [{ arguments: null }, 'Card'],
      [{ action: 'ask', arguments: { question: 'Tea?', answers: ['Yes', 'No'] } }, 'Question: Tea? Answers: Yes, No'],
      [{ action: 'menu', arguments: { items: ['Soup', { label: 'Pizza' }, { icon: 'cake' }, {}] } }, 'Menu: Tiles: Soup, Pizza, cake, a picture'],
      [{ action: 'clickmap', arguments: { regions: [{ id: 'left' }] } }, 'Clickmap: Regions: left'],
    ];
    for (const [more, text] of texts) assert.equal(textOf(screen(more)), text);
  });

  it('say how it ended and who showed it', () => {
    assert.deepEqual(outcomeOf(screen({})), { label: 'Shown', tone: 'good' });
    assert.deepEqual(outcomeOf(screen({ action: 'ask', outcome: 'answered', answer: 'Yes' })), { label: 'Answered: Yes', tone: 'good' });
    assert.deepEqual(outcomeOf(screen({ action: 'menu', outcome: 'timed_out' })), { label: 'No answer', tone: 'warn' });
    assert.deepEqual(outcomeOf(screen({ action: 'ask', outcome: 'robot_offline' })), { label: 'Robot offline', tone: 'bad' });
    const callers = [{}, { via: 'agent' as const }, { via: 'page' as const, key: null }, { key: null }];
    assert.deepEqual(
      callers.map((more) => callerOf(screen(more))),
      ['laptop', 'laptop, agent', 'Web page', 'Revoked key'],
    );
  });
});

describe('the arguments of an earlier call in a form', () => {
  it('make the same arguments again', () => {
    const calls: [string, Record<string, unknown>][] = [
      ['show', { title: 'Build', text: '42 %', progress: 0.42, color: 'green', sparkline: [1, 2, null, 3] }],
      ['show', { countdown: { seconds: 240, done: 'Ready' } }],
      ['ask', { question: 'Tea?', answers: ['Yes', 'No', 'Later'], whole: true, timeout_s: 30 }],
      ['menu', { title: 'Lunch', items: ['Soup', { id: 'p', label: 'Pizza', image: 'p-0123456789abcdefghjk' }], timeout_s: 5 }],
      ['clickmap', { regions: [{ id: 'left', rect: [0, 0, 160, 240] }], timeout_s: 10 }],
    ];
    for (const [name, args] of calls) {
      const fields = fieldsOfAction(name);
      assert.deepEqual(argsOf(fields, draftsOf(fields, args)), { args }, name);
    }
  });

  it('leave out what the form does not have', () => {
    const fields = fieldsOfAction('ask');
    const drafted = draftsOf(fields, { question: 7, answers: 'none', other: true });
    assert.deepEqual([drafted['question'], drafted['answers'], 'other' in drafted], ['', ['', ''], false]);
  });
});
