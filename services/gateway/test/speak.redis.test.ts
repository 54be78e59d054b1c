import assert from 'node:assert/strict';
import { ApiError } from '@perch/schema';
import { commandAnswers, hello } from './test-link.js';
import { secondForEachCharacter, useGateway, useOwner, type Answer } from './gateway-under-test.js';

const open = { ...hello, openSounds: true };

describe('speak', () => {
  const system = useGateway();
  const owner = useOwner(system);

  const speak = (args: object): Promise<Answer> => system.act(owner, 'speak', args);
  const sent = (): string[] => system.link.commands.map(({ command }) => command.name);

  it('plays the speech, then shows the text for as long, and answers its length', async () => {
    const { status, body } = await speak({ text: 'Hello', lang: 'en-GB', voice: 'f1', volume: 30 });
    assert.deepEqual([status, body], [200, { ok: true, seconds: 5, replaced: false, caption: true }]);
    assert.deepEqual(sent(), ['audio.play', 'bubble']);
    const [play, bubble] = system.link.commands;
    assert.deepEqual(play!.command.args, { volume: 30 });
    assert.equal(play!.command.sound!.bytes, 5 * 16_000 * 2);
    assert.equal(play!.command.sound!.growing, undefined);
    assert.deepEqual(bubble!.command.args, { text: 'Hello', seconds: 6.5 });
    const [{ text, lang, voice, rate }] = system.spoken as [(typeof system.spoken)[0]];
    assert.deepEqual({ text, lang, voice, rate }, { text: 'Hello', lang: 'en-GB', voice: 'f1', rate: 16_000 });
  });

  it('neither speaks nor shows escape sequences of terminals, and names the text', async () => {
    const { body } = await speak({ text: '\u001b[31mFAIL\u001b[0m' });
    assert.deepEqual(body, { ok: true, seconds: 4, replaced: false, caption: true, adjusted: ['text'] });
    assert.deepEqual([system.spoken[0]!.text, system.link.commands[1]!.command.args['text']], ['FAIL', 'FAIL']);
    assert.equal((await speak({ text: '\u001b[31m\u001b[0m' })).body.field, 'text');
  });

  it('speaks equal texts once', async () => {
    await speak({ text: 'Same' });
    await speak({ text: 'Same' });
    await speak({ text: 'Same', voice: 'x' });
    assert.equal(system.spoken.length, 2);
  });

  it('shortens the caption of a long text at a whole character, and says so', async () => {
    const text = `${'a'.repeat(77)} 👩‍👩‍👧‍👦 and more`;
    const { body } = await speak({ text });
    assert.deepEqual([body.caption, body.truncated], [true, ['text']]);
    assert.equal(system.link.commands[1]!.command.args['text'], `${'a'.repeat(77)}…`);
    assert.equal(system.spoken[0]!.text, text);
  });

  it('speaks without a caption while a card shows, to a robot without bubbles, and when the bubble fails', async () => {
    const nack = (code: 'card_showing' | 'robot_hardware'): void => {
      system.link.answer = (message) =>
        message.command.name === 'bubble' ? { t: 'nack', id: message.id, code, error: 'no' } : commandAnswers(message);
    };
    nack('card_showing');
    assert.deepEqual((await speak({ text: 'One' })).body, {
      ok: true,
      seconds: 3,
      replaced: false,
      caption: false,
      caption_left_out: 'card_showing',
    });
    nack('robot_hardware');
    assert.deepEqual((await speak({ text: 'Two' })).body.caption_left_out, 'failed');
    system.link.commands.length = 0;
    await system.link.take(owner.robot, owner.token, { ...hello, features: ['speaker'] });
    assert.deepEqual((await speak({ text: 'Three' })).body.caption_left_out, 'no_bubble');
    assert.deepEqual(sent(), ['audio.play']);
  });

  it('plays a growing sound on a robot that can, without its length, and the whole one on others', async () => {
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    system.speech = async (job, take, signal) => {
      await take.append(Buffer.alloc(3200));
      await finished;
      return secondForEachCharacter(job, take, signal);
    };
    const waiting = speak({ text: 'Whole' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.deepEqual(sent(), [], 'a robot without open_sound');
    const other = await system.ownerOnline(open);
    const { body } = await system.act(other, 'speak', { text: 'Growing' });
    assert.deepEqual(body, { ok: true, replaced: false, caption: true });
    assert.equal(system.link.commands[0]!.command.sound!.growing, true);
    finish();
    assert.equal((await waiting).body.seconds, 5);
    assert.equal(system.link.commands.at(-2)!.command.sound!.growing, undefined);
  });

  it('a stop while the engine works ends speak at once and without a sound; one before it does not', async () => {
    assert.equal((await system.act(owner, 'stop', {})).status, 200);
    assert.equal((await speak({ text: 'After a stop' })).body.replaced, false);
    system.link.commands.length = 0;
    let began = (): void => undefined;
    const working = new Promise<void>((resolve) => (began = resolve));
    let dropped: Promise<void> | undefined;
    system.speech = (_job, _take, signal) => {
      dropped = new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      began();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
    };
    const speaking = speak({ text: 'Never heard' });
    await working;
    assert.equal((await system.act(owner, 'stop', {})).status, 200);
    assert.deepEqual((await speaking).body, { ok: true, replaced: true, caption: false });
    await dropped;
    assert.ok(!sent().includes('audio.play') && !sent().includes('bubble'), sent().join());
  });

  it('a stop whose message was lost ends speak', async () => {
    system.speech = async (job, take, signal) => {
      await system.store.connections.commands.hset(`perch:{${owner.robot}}:waits`, 'stopped', Date.now() + 60_000);
      return secondForEachCharacter(job, take, signal);
    };
    assert.deepEqual((await speak({ text: 'Never heard either' })).body, { ok: true, replaced: true, caption: false });
    assert.deepEqual(sent(), []);
  });

  it('answers what the renderer found wrong, and sends nothing to the robot', async () => {
    for (const [error, status] of [
      [new ApiError('not_offered', 'This service cannot speak: no engine.'), 501],
      [new ApiError('bad_argument', 'voice: "x" is not a voice', { field: 'voice' }), 400],
      [new ApiError('speech_failed', 'The speech engine failed.'), 503],
    ] as const) {
      system.speech = () => Promise.reject(error);
      const answer = await speak({ text: `Wrong ${status}` });
      assert.deepEqual([answer.status, answer.body.code, answer.body.field, answer.body.error], [status, error.code, error.field, error.message]);
    }
    assert.deepEqual(sent(), []);
  });

  it('refuses a robot without a speaker and one that is away before it is spoken', async () => {
    await system.link.take(owner.robot, owner.token, { ...hello, features: ['bubble'] });
    assert.equal((await speak({ text: 'Hello' })).body.code, 'not_offered');
    const away = await system.owner();
    assert.equal((await system.act(away, 'speak', { text: 'Hello' })).body.code, 'robot_offline');
    assert.deepEqual(system.spoken, []);
  });

  it('refuses a text without a letter or digit, and one that is too long', async () => {
    for (const text of ['', '…', ' \n', '👍', 'a'.repeat(301)]) {
      const { status, body } = await speak({ text });
      assert.deepEqual([status, body.field], [400, 'text'], text);
    }
  });

  it('repeats the refusal of the sound by the robot, such as of an engine that failed before the first sample', async () => {
    system.link.answer = ({ id }) => ({ t: 'nack', id, code: 'speech_failed', error: 'The speech engine failed before the robot began to speak.' });
    const { status, body } = await speak({ text: 'Hello' });
    assert.deepEqual([status, body.code, sent()], [503, 'speech_failed', ['audio.play']]);
  });
});
