import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApiError } from '@perch/schema';
import { HttpEngine } from '../../src/speech/http-engine.js';
import { seconds, spoken } from './spoken.js';

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
