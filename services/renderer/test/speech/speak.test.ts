import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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
import { HttpEngine } from '../../src/speech/http-engine.js';
import { speak } from '../../src/speech/speak.js';

const run = promisify(execFile);
const rate = 16_000;
const path = process.env['PATH'] ?? '';

class Take {
  readonly chunks: Buffer[] = [];
  readonly times: number[] = [];
  append(chunk: Buffer): Promise<void> {
    if (chunk.length > 0) {
      this.chunks.push(chunk);
      this.times.push(performance.now());
    }
    return Promise.resolve();
  }
}

async function spoken(engine: SpeechEngine, text: string, more: Partial<SpeechJob> = {}, take = new Take(), withinMs?: number): Promise<Buffer> {
  const job: SpeechJob = { kind: 'speech', account: 'a', hash: 'h', text, rate, ...more };
  const made = await speak(engine, job, take, new AbortController().signal, withinMs);
  assert.deepEqual([made.kind, (made as { rate: number }).rate], ['sound', more.rate ?? rate]);
  return made.data;
}

const seconds = (data: Buffer, at = rate): number => data.length / 2 / at;
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
    const since = performance.now();
    await assert.rejects(spoken(piper('--never'), 'Hello', {}, new Take(), 700), (error: ApiError) => /took longer than 0.7 s/.test(error.message));
    assert.ok(performance.now() - since < 2000);
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
      const since = performance.now();
      await assert.rejects(spoken(engine, 'Hello', {}, new Take(), 700), (error: ApiError) => /took longer than 0.7 s/.test(error.message));
      assert.ok(performance.now() - since < 3000);
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

describe("speech by a service like OpenAI's", () => {
  let requests: { path: string; key: string | undefined; body: Record<string, unknown> }[] = [];
  let answer: (response: ServerResponse) => void = () => undefined;
  const server = createServer((request: IncomingMessage, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      requests.push({ path: request.url!, key: request.headers.authorization, body: JSON.parse(text) as Record<string, unknown> });
      answer(response);
    });
  });
  let engine: HttpEngine;
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/audio/speech`;
    engine = new HttpEngine({ url, key: 'sk-1', model: 'tts-1', rate: 24_000, voices: ['alloy', 'nova'] });
  });
  beforeEach(() => {
    requests = [];
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const tone = (lengthS: number, at: number): Buffer => {
    const pcm = Buffer.alloc(Math.round(lengthS * at) * 2);
    for (let i = 0; i < pcm.length / 2; i += 1) pcm.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 300 * i) / at)), i * 2);
    return pcm;
  };

  it('sends text, voice and model with the key, and plays the samples in pieces of any size', async () => {
    answer = (response) => {
      const pcm = tone(1, 24_000);
      for (const at of [0, 1, 7, 8000, 8001, 30_000])
        response.write(pcm.subarray(at, [1, 7, 8000, 8001, 30_000, pcm.length][[0, 1, 7, 8000, 8001, 30_000].indexOf(at)]));
      response.end();
    };
    const data = await spoken(engine, 'Hi', { voice: 'nova', lang: 'ja' });
    assert.ok(Math.abs(seconds(data) - 1) < 0.01);
    assert.deepEqual(requests, [
      { path: '/v1/audio/speech', key: 'Bearer sk-1', body: { model: 'tts-1', input: 'Hi', voice: 'nova', response_format: 'pcm' } },
    ]);
  });

  it('plays a WAV file at its own rate, with both channels', async () => {
    const wave =
      (size: number, after = Buffer.alloc(0)): ((response: ServerResponse) => void) =>
      (response) => {
        const mono = tone(1, 44_100);
        const data = Buffer.alloc(mono.length * 2);
        for (let i = 0; i < mono.length / 2; i += 1) for (const channel of [0, 1]) data.writeInt16LE(mono.readInt16LE(i * 2), (i * 2 + channel) * 2);
        const head = Buffer.alloc(44);
        head.write('RIFF', 0);
        head.writeUInt32LE(0xffffffff, 4);
        head.write('WAVEfmt ', 8);
        head.writeUInt32LE(16, 16);
        head.writeUInt16LE(1, 20);
        head.writeUInt16LE(2, 22);
        head.writeUInt32LE(44_100, 24);
        head.writeUInt32LE(44_100 * 4, 28);
        head.writeUInt16LE(4, 32);
        head.writeUInt16LE(16, 34);
        head.write('data', 36);
        head.writeUInt32LE(size, 40);
        response.write(head.subarray(0, 20));
        response.end(Buffer.concat([head.subarray(20), data, after]));
      };
    for (const size of [0xffffffff, 0x7ffff000, 0]) {
      answer = wave(size);
      assert.ok(Math.abs(seconds(await spoken(engine, 'Hi')) - 1) < 0.01, `${size}`);
    }
    // Text about the file follows the samples.
    answer = wave(44_100 * 4, Buffer.concat([Buffer.from('LIST'), Buffer.alloc(20_000, 'x')]));
    assert.ok(Math.abs(seconds(await spoken(engine, 'Hi')) - 1) < 0.01, 'text after the samples');
  });

  it('fails as speech_failed for an error, a redirect, a compressed file, no samples, a connection that breaks off', async () => {
    for (const wrong of [
      (response: ServerResponse): void => void response.writeHead(401).end('{}'),
      (response: ServerResponse): void => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      (response: ServerResponse): void =>
        void response.end(
          Buffer.concat([Buffer.from('RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0', 'latin1'), Buffer.from([85, 0, 1, 0]), Buffer.alloc(60)]),
        ),
      (response: ServerResponse): void => void response.end(),
      (response: ServerResponse): void => {
        response.writeHead(200, { 'content-length': 100_000 });
        response.write(tone(0.1, 24_000), () => response.destroy());
      },
    ]) {
      answer = wrong;
      await assert.rejects(spoken(engine, 'Hi'), (error: ApiError) => error.code === 'speech_failed', wrong.toString());
    }
  });

  it('refuses a voice that is not configured without a request', async () => {
    await assert.rejects(spoken(engine, 'Hi', { voice: 'onyx' }), (error: ApiError) => error.field === 'voice' && /alloy, nova/.test(error.message));
    assert.deepEqual(requests, []);
  });
});
