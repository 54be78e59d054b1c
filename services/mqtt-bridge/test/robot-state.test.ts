/** Whose answers a robot publishes to Home Assistant. */
import assert from 'node:assert/strict';
import type { EventData } from '@perch/client';
import { triggerOf } from '../src/discovery/triggers.js';
import { RobotState } from '../src/robots/robot-state.js';
import { retainedTopics, Topics } from '../src/topics.js';

const topics = new Topics({ topic: 'perch', discoveryPrefix: 'homeassistant', birthTopic: 'homeassistant/status', keyId: 'k', clientId: 'c' });
const own = topics.robot('r-7k2m9qx4tb');

const tapped = (wait: string, more: object = {}): EventData['answered'] =>
  ({ wait, action: 'ask', outcome: 'answered', index: 0, answer: 'Open', ...more }) as EventData['answered'];

describe('answers to questions', () => {
  let retained: Map<string, string>;
  let state: RobotState;
  const startState = (): RobotState =>
    new RobotState(own, (topic, payload) => {
      retained.set(topic, payload);
      return true;
    });
  const door = { id: 'ring-1', question: 'Let them in?' };
  const ask = (wait: string | null, asked = door): Promise<boolean> => state.asking(async () => wait, asked);

  beforeEach(() => {
    retained = new Map();
    state = startState();
  });

  it('the answer to a question of the bridge is published with its id, text and time, once', async () => {
    assert.equal(await ask('wt-1'), true);
    assert.deepEqual(await state.answered(tapped('wt-1'), 'now'), door);
    const { answer, question, id, wait, at } = JSON.parse(retained.get(own.answer)!);
    assert.deepEqual([answer, question, id, wait, at], ['Open', 'Let them in?', 'ring-1', 'wt-1', 'now']);
    assert.equal(await state.answered(tapped('wt-1'), 'now'), null);
  });

  it('the answer to a question of another program is not published, and has no trigger of an answer', async () => {
    await ask('wt-1');
    assert.equal(await state.answered(tapped('wt-2'), 'now'), null);
    assert.equal(retained.has(own.answer), false);
    const event = { seq: 1, name: 'answered', at: '', data: tapped('wt-2') } as const;
    assert.equal(triggerOf(event, false), 'answered_other');
    assert.equal(triggerOf(event, true), 'answered_answer_1');
  });

  it('a question that was not shown, or whose call failed, has no answer', async () => {
    assert.equal(await ask(null), false);
    await assert.rejects(state.asking(() => Promise.reject(new Error('no_ack')), door));
    assert.equal(await state.answered(tapped('wt-1'), 'now'), null);
  });

  it('an answer that arrives before the call that asked has ended is recognized', async () => {
    let end = (_wait: string): void => {};
    const asking = state.asking(() => new Promise((resolve) => (end = resolve)), door);
    const answered = state.answered(tapped('wt-1'), 'now');
    end('wt-1');
    assert.deepEqual(await answered, door);
    await asking;
  });

  it('after a restart the questions of the run before are still those of the bridge, and a message that is no such list is ignored', async () => {
    await ask('wt-1', { ...door, question: 'x'.repeat(300) });
    const payload = retained.get(own.questions)!;
    state = startState();
    for (const broken of ['', 'no JSON', '[]', '{"wt-2":1}', '{"wt-2":null}', '{"wt-2":{"id":1,"question":"a"}}', 'null']) {
      startState().restoreQuestions(broken);
    }
    state.restoreQuestions(payload);
    state.restoreQuestions('{"wt-3":{"id":"a","question":"sent later by somebody else"}}');
    assert.equal(await state.answered(tapped('wt-3'), 'now'), null);
    assert.equal((await state.answered(tapped('wt-1'), 'now'))?.id, 'ring-1');
    assert.equal(retained.get(own.questions), '{}');
    assert.equal(JSON.parse(retained.get(own.answer)!).question, 'x'.repeat(255));
  });

  it('the latest 50 questions are known', async () => {
    for (let i = 0; i <= 50; i++) await ask(`wt-${i}`);
    assert.equal(Object.keys(JSON.parse(retained.get(own.questions)!)).length, 50);
    assert.equal(await state.answered(tapped('wt-0'), 'now'), null);
    assert.deepEqual(await state.answered(tapped('wt-50'), 'now'), door);
  });

  it('the questions of a robot are found by their topic, and removed with it', () => {
    assert.equal(topics.robotOfQuestions(own.questions), 'r-7k2m9qx4tb');
    for (const other of [own.answer, own.command('questions'), 'perch/robots/a/b/questions', 'perch/robots//questions', 'x/robots/a/questions'])
      assert.ok((topics.robotOfQuestions(other) ?? '') === '', other);
    assert.ok(retainedTopics(own).includes(own.questions));
  });
});
