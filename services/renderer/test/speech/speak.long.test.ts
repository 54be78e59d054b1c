import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as setTimeoutAsync } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ApiError, SpeechJob } from '@perch/schema';
import { fromPcm, momentaryLoudness, truePeakOf } from '@perch/sound';
import { skipTest, speechCommand } from '@perch/testkit';
import { CommandEngine } from '../../src/speech/command-engine.js';
import type { SpeechEngine } from '../../src/speech/engine.js';
import { Espeak } from '../../src/speech/espeak.js';
import { speak } from '../../src/speech/speak.js';
import { rate, seconds, spoken, Take } from './spoken.js';

const run = promisify(execFile);

const path = process.env['PATH'] ?? '';

const piper = (...options: string[]): CommandEngine =>
  new CommandEngine({ command: speechCommand(...options), path, rate: 22_050, voices: ['en_GB-one-low', 'de_DE-two-low', 'de_AT-three'] });

describe('speech by a program that behaves as Piper', () => {
  it('speech is resampled, brought near -12 LUFS without clipping, and as long as the engine made it', async () => {
    for (const at of [16_000, 24_000]) {
      const data = await spoken(piper(), 'x'.repeat(50), { rate: at });
      assert.ok(Math.abs(seconds(data, at) - 3) < 0.01, `${seconds(data, at)} s`);
      const samples = fromPcm(data);
      assert.ok(Math.abs(momentaryLoudness(samples, at) + 12) < 1, `${momentaryLoudness(samples, at)} LUFS`);
      assert.ok(truePeakOf(samples) <= -1, `${truePeakOf(samples)} dBTP`);
    }
  });

  it('speech that takes longer than a moment is appended completely while it is made, its first part within 500 ms', async () => {
    const take = new Take();
    const since = performance.now();
    const data = await spoken(piper('--real-time'), 'x'.repeat(40), {}, take);
    const tookMs = performance.now() - since;
    assert.ok(tookMs > 2000 && take.chunks.length >= 5, `${tookMs} ms, ${take.chunks.length} chunks`);
    assert.ok(Buffer.concat(take.chunks).equals(data));
    assert.ok(take.times[0]! - since < tookMs - 1500, 'it began long before it ended');
  });

  it('fails as speech_failed if the engine dies, writes nothing, does not exist or takes too long', async () => {
    for (const engine of [
      piper('--dies-after', '500'),
      piper('--silent-end'),
      new CommandEngine({ command: '/nonexistent/engine', path, rate: 22_050, voices: [] }),
    ])
      await assert.rejects(spoken(engine, 'Hello there'), (error: ApiError) => error.code === 'speech_failed' && error.status === 503);
    await assert.rejects(spoken(piper('--never'), 'Hello', {}, new Take(), 700), (error: ApiError) => /took longer than 0.7 s/.test(error.message));
  });

  it('fails if the speech is longer than 90 s', async () => {
    // 300 characters of 60 ms are 18 s: an engine whose samples have five times the rate that was set speaks for 90 s and more.
    const slow = new CommandEngine({ command: speechCommand(), path, rate: 8000, voices: [] });
    await assert.rejects(spoken(slow, 'x'.repeat(600)), (error: ApiError) => /longer than 90 s/.test(error.message));
  });

  it('stops the program when no caller waits any longer', async () => {
    const dropped = new AbortController();
    const job: SpeechJob = { kind: 'speech', account: 'a', hash: 'h', text: 'Hello', rate };
    const speaking = speak(piper('--never'), job, new Take(), dropped.signal);
    setTimeout(() => dropped.abort(new Error('dropped')), 300);
    await assert.rejects(speaking, /dropped/);
  });

  it('ends a script that takes too long together with the programs that it started', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'perch-engine-'));
    try {
      const signs = join(folder, 'signs');
      const script = new URL('../programs/forking-engine.sh', import.meta.url).pathname;
      const engine = new CommandEngine({ command: `/bin/sh ${script} ${signs}`, path, rate, voices: [] });
      await assert.rejects(spoken(engine, 'Hello', {}, new Take(), 700), (error: ApiError) => /took longer than 0.7 s/.test(error.message));
      const lived = (await stat(signs)).size;
      await setTimeoutAsync(500);
      assert.deepEqual([lived > 0, (await stat(signs)).size], [true, lived]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('fails, and stops the program, when the speech cannot be stored', async () => {
    const full = { append: () => Promise.reject(new Error('full')) };
    const job: SpeechJob = { kind: 'speech', account: 'a', hash: 'h', text: 'x'.repeat(100), rate };
    const since = performance.now();
    await assert.rejects(speak(piper('--real-time'), job, full, new AbortController().signal), /full/);
    assert.ok(performance.now() - since < 3000);
  });

  it('gives text to the program on its standard input only, and no secret of the environment', async () => {
    process.env['PERCH_TEST_SECRET'] = 'geheim';
    const shows = (script: string): SpeechEngine => ({
      voiceFor: () => Promise.resolve('v'),
      speak: (text, voice, signal) =>
        new CommandEngine({ command: `${process.execPath} ${script}`, path, rate, voices: [] }).speak(text, voice, signal),
    });
    const chunks: Uint8Array[] = [];
    const script = new URL('../programs/show-environment.mjs', import.meta.url).pathname;
    for await (const chunk of shows(script).speak("'; $(touch /tmp/x) `id` \n second line", 'v', AbortSignal.timeout(5000)).output)
      chunks.push(chunk);
    const shown = JSON.parse(Buffer.concat(chunks).toString()) as { env: Record<string, string>; args: string[]; text: string; nice: number };
    assert.ok(!JSON.stringify(shown.env).includes('geheim') && !Object.keys(shown.env).some((name) => name.startsWith('PERCH_')));
    assert.deepEqual(shown.args, []);
    assert.equal(shown.text, "'; $(touch /tmp/x) `id` second line\n");
    delete process.env['PERCH_TEST_SECRET'];
  });

  it('chooses voices by name and by language, and names some for one that there is not', async () => {
    const engine = piper();
    assert.equal(await engine.voiceFor({}), 'en_GB-one-low');
    assert.equal(await engine.voiceFor({ voice: 'de_AT-three' }), 'de_AT-three');
    for (const [lang, voice] of [
      ['de', 'de_DE-two-low'],
      ['de-AT', 'de_AT-three'],
      ['de-CH', 'de_DE-two-low'],
      ['en-US', 'en_GB-one-low'],
    ] as const)
      assert.equal(await engine.voiceFor({ lang }), voice, lang);
    for (const [wanted, field] of [
      [{ voice: 'none' }, 'voice'],
      [{ lang: 'fr' }, 'lang'],
      [{ lang: 'd' }, 'lang'],
    ] as const) {
      // eslint-disable-next-line no-loop-func
      const refused = async (): Promise<string> => engine.voiceFor(wanted);
      await assert.rejects(
        refused,
        (error: ApiError) => error.code === 'bad_argument' && error.field === field && /en_GB-one-low, de_DE-two-low/.test(error.message),
      );
    }
  });
});

describe('speech by espeak-ng', () => {
  const engine = new Espeak('espeak-ng', path);
  before(async function () {
    await run('espeak-ng', ['--version']).catch(() => skipTest(this, 'there is no espeak-ng on PATH'));
  });

  it('speech by espeak-ng is near -12 LUFS without clipping, in several languages and voices', async () => {
    for (const [text, more] of [
      ['The kettle is boiling, and your tea will be ready in a minute.', {}],
      ['Der Tee ist fertig!', { lang: 'de' }],
      ['茶好了', { lang: 'zh-Hans' }],
      ['Bonjour, comment allez-vous?', { voice: 'fr+f3' }],
    ] as const) {
      const data = await spoken(engine, text, more);
      const samples = fromPcm(data);
      assert.ok(seconds(data) > 0.5 && seconds(data) < 10, `${text}: ${seconds(data)} s`);
      assert.ok(Math.abs(momentaryLoudness(samples, rate) + 12) < 2, `${text}: ${momentaryLoudness(samples, rate)} LUFS`);
      assert.ok(truePeakOf(samples) <= -1);
    }
  });

  it('speaks 300 characters completely, and the same text the same way', async () => {
    const text = 'Seven grey geese go south. '.repeat(11).slice(0, 300);
    const [one, two] = [await spoken(engine, text), await spoken(engine, text)];
    assert.ok(seconds(one) > 12 && seconds(one) < 40, `${seconds(one)} s`);
    // How the engine's output is divided varies, and moves the gain by less than one step of a sample.
    const steps = [one, two].map((data) => fromPcm(data).map((sample) => Math.round(sample * 32_768)));
    assert.equal(steps[0]!.length, steps[1]!.length);
    assert.ok(steps[0]!.every((step, at) => Math.abs(step - steps[1]![at]!) <= 1));
  });

  it('treats text that looks like options, markup or phonemes as text', async () => {
    for (const text of ['-v de hello', '<speak>hello</speak>', "[[h@'loU]] hello", '$(reboot) `ls` "x"'])
      assert.ok(seconds(await spoken(engine, text)) > 0.3, text);
  });

  it('speaks what follows a control character, which changes nothing', async () => {
    const expected = await spoken(engine, 'One  two 300S three');
    for (const control of ['\u0000', '\u0001', '\u001b'])
      assert.equal((await spoken(engine, `One ${control}two${control}300S three`)).length, expected.length, JSON.stringify(control));
  });

  it('names some voices for one that there is not', async () => {
    for (const [wanted, field] of [
      [{ voice: 'nobody' }, 'voice'],
      [{ voice: 'en+nobody' }, 'voice'],
      [{ voice: 'en+f3+f4' }, 'voice'],
      [{ lang: 'tlh-Qaak' }, 'lang'],
    ] as const)
      await assert.rejects(
        engine.voiceFor(wanted),
        (error: ApiError) => error.code === 'bad_argument' && error.field === field && /there are \w+/.test(error.message),
      );
  });
});
