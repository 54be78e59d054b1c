import assert from 'node:assert/strict';
import type { ShowArguments } from '@perch/client';
import { CommandQueue } from '../src/commands/command-queue.js';
import { ledsOf, lightAfter, type LightState } from '../src/commands/light.js';
import { BadPayload, textArguments } from '../src/commands/payload.js';
import { questionNamedIn, questionOf } from '../src/commands/question.js';

describe('the LEDs as a light', () => {
  const light = (...payloads: object[]): LightState =>
    payloads.reduce<LightState | null>((state, payload) => lightAfter(state, JSON.stringify(payload)), null)!;

  it('takes no colour for granted if it is unknown: only a plain ON is the default of the action', () => {
    for (const named of [{ brightness: 50 }, { effect: 'breathe' }, { brightness: 50, effect: 'off' }])
      assert.throws(() => light({ state: 'ON', ...named }), /the colour of the LEDs is not known/, JSON.stringify(named));
    assert.deepEqual(ledsOf(light({ state: 'ON', effect: 'rainbow', brightness: 51 })), { color: '#ffffff', brightness: 0.2, effect: 'rainbow' });
    assert.deepEqual(ledsOf(light({ state: 'ON' })), { color: '#ffffff', brightness: 1 });
    assert.deepEqual(ledsOf(light({ state: 'OFF' })), { off: true });
  });

  it('keeps colour and brightness where a command does not name them', () => {
    const red = light({ state: 'ON', color: { r: 255, g: 0, b: 0 } }, { state: 'ON', brightness: 51 });
    assert.deepEqual(ledsOf(red), { color: '#ff0000', brightness: 0.2 });
    assert.deepEqual(ledsOf(lightAfter(red, '{"state":"OFF"}')), { off: true });
    assert.deepEqual(ledsOf(light({ state: 'ON' })), { color: '#ffffff', brightness: 1 });
  });

  it('runs an effect until the light is switched off or the effect is set to off', () => {
    const blinking = light({ state: 'ON' }, { state: 'ON', effect: 'blink' });
    assert.equal(ledsOf(blinking).effect, 'blink');
    assert.equal(ledsOf(lightAfter(blinking, '{"state":"ON","effect":"off"}')).effect, undefined);
    assert.equal(lightAfter(blinking, '{"state":"OFF"}').effect, 'off');
  });

  it('ends the rainbow when a colour is chosen', () => {
    assert.equal(light({ state: 'ON', effect: 'rainbow' }, { state: 'ON', color: { r: 1, g: 2, b: 3 } }).effect, 'off');
  });

  // Public reports: home-assistant/core issue 151306, Koenkk/zigbee2mqtt issue 4637.
  it('switches off with a brightness of 0, and has its brightness again when it is switched on', () => {
    const off = light({ state: 'ON' }, { state: 'ON', brightness: 51 }, { state: 'ON', brightness: 0 });
    assert.deepEqual([off.state, off.brightness], ['OFF', 51]);
    assert.deepEqual(ledsOf(off), { off: true });
    assert.deepEqual(ledsOf(lightAfter(off, '{"state":"ON"}')), { color: '#ffffff', brightness: 0.2 });
  });

  it('refuses payloads that are not such a command', () => {
    for (const wrong of ['on', '[]', '{}', '{"state":"ON","brightness":256}', '{"state":"ON","color":{"r":1}}', '{"state":"ON","effect":"x"}'])
      assert.throws(() => lightAfter(null, wrong), BadPayload, wrong);
  });
});

describe('texts and questions', () => {
  it('takes a plain text as the text, and a JSON object as all arguments', () => {
    assert.deepEqual(textArguments<ShowArguments>('Hello', 'text'), { text: 'Hello' });
    assert.deepEqual(textArguments<ShowArguments>('{"title":"Door","icon":"bell"}', 'text'), { title: 'Door', icon: 'bell' });
    assert.throws(() => textArguments<ShowArguments>(' ', 'text'), BadPayload);
    assert.throws(() => textArguments<ShowArguments>('{"title":', 'text'), BadPayload);
  });

  it('reads question and answers from one line, with Yes and No where there are no answers', () => {
    assert.deepEqual(questionOf('Door? | Open | Wait').arguments, { question: 'Door?', answers: ['Open', 'Wait'], timeout_s: 120, detach: true });
    assert.deepEqual(questionOf('Tea?').arguments.answers, ['Yes', 'No']);
    assert.throws(() => questionOf(' | a | b'), BadPayload);
  });

  it('never holds a call open for a question, whatever its payload says', () => {
    assert.deepEqual(questionOf('{"question":"Tea?","timeout_s":5,"detach":false}').arguments, {
      question: 'Tea?',
      answers: ['Yes', 'No'],
      timeout_s: 5,
      detach: true,
    });
  });

  it('a question has the id that its caller gave it, which is no argument, or an id of its own', () => {
    const { id, arguments: question } = questionOf('{"id":"01JD:a.b_c-9","question":"Tea?"}');
    assert.deepEqual([id, 'id' in question], ['01JD:a.b_c-9', false]);
    assert.notEqual(questionOf('Tea?').id, questionOf('Tea?').id);
    for (const wrong of ['', 'a b', 'x'.repeat(65), 5, null])
      assert.throws(() => questionOf(JSON.stringify({ id: wrong, question: 'Tea?' })), BadPayload, String(wrong));
  });

  it('a question that is not asked is named by id and text, as far as its payload says them', () => {
    assert.deepEqual(questionNamedIn('{"id":"a","question":"Tea?","answers":7}'), { id: 'a', question: 'Tea?' });
    assert.deepEqual(questionNamedIn('Tea? | Yes'), { id: null, question: 'Tea?' });
    for (const wrong of ['{"id":5}', '[]', '7', '{}']) assert.deepEqual(questionNamedIn(wrong), { id: null, question: null }, wrong);
    assert.equal(questionNamedIn('{"id":').question, '{"id":');
    assert.equal(questionNamedIn('x'.repeat(1000)).question!.length, 255);
  });
});

describe('the queue of commands', () => {
  it('runs one command at a time, in order, and refuses the one beyond 20', async () => {
    const queue = new CommandQueue();
    const order: number[] = [];
    let running = 0;
    const added = Array.from({ length: 21 }, (_, i) =>
      queue.add(async () => {
        assert.equal(++running, 1);
        await new Promise(setImmediate);
        order.push(i);
        running--;
      }),
    );
    assert.equal(added.lastIndexOf(true), 19);
    await queue.drained();
    assert.deepEqual(
      order,
      Array.from({ length: 20 }, (_, i) => i),
    );
    assert.ok(queue.add(() => Promise.resolve()));
  });
});
