import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { AnswerReader, headerOf, type HttpAnswer } from '../src/load/http-answers.js';
import { HttpConnections } from '../src/load/http-connection.js';

const plain = (status: number, body: string): string =>
  `HTTP/1.1 ${status} Said\r\nContent-Type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

function chunked(status: number, body: string): string {
  const bytes = Buffer.from(body);
  const half = Math.ceil(bytes.length / 2);
  const chunks = [bytes.subarray(0, half), bytes.subarray(half)].filter(({ length }) => length > 0);
  const parts = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk.toString('latin1')}\r\n`);
  return `HTTP/1.1 ${status} Said\r\ntransfer-encoding: chunked\r\n\r\n${parts.join('')}0\r\n\r\n`;
}

describe('the HTTP client of the bench', () => {
  it('reads status and body of each answer, with a length or in chunks, however the stream is split', () => {
    const answer = fc.record({
      status: fc.integer({ min: 200, max: 599 }),
      body: fc.string({ maxLength: 60, unit: 'grapheme-ascii' }),
      inChunks: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 6 }), fc.array(fc.nat(600), { maxLength: 8 }), (answers, cuts) => {
        const bytes = Buffer.from(answers.map(({ status, body, inChunks }) => (inChunks ? chunked : plain)(status, body)).join(''));
        const read: HttpAnswer[] = [];
        const reader = new AnswerReader((each) => read.push(each));
        const at = [...new Set(cuts.filter((cut) => cut < bytes.length))].toSorted((a, b) => a - b);
        for (const [i, cut] of [0, ...at].entries()) reader.read(bytes.subarray(cut, at[i] ?? bytes.length));
        assert.deepEqual(
          read.map(({ status, body }) => ({ status, body })),
          answers.map(({ status, body }) => ({ status, body })),
        );
      }),
    );
  });

  it('throws on anything that is no answer with a length', () => {
    const read = (text: string) => (): void => new AnswerReader(() => {}).read(Buffer.from(text));
    assert.throws(read('+PONG\r\n\r\n\r\n'), /no HTTP answer/);
    assert.throws(read('HTTP/1.1 200 OK\r\na: b\r\n\r\n'), /without a length/);
    assert.throws(read('HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n'), /content-length/);
    assert.throws(read('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n'), /size of a chunk/);
    assert.throws(read('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabc\r\n'), /another size/);
  });

  it('reads headers without regard to case, and no other than the named one', () => {
    const headers = '\r\nContent-Type: application/json\r\nx-content-length: 7';
    assert.deepEqual([headerOf(headers, 'content-type'), headerOf(headers, 'content-length')], ['application/json', null]);
  });

  it('pipelines requests on a connection, answers them in order, and opens a broken one again', async () => {
    let connections = 0;
    const server = createServer((request, response) => {
      if (request.url === '/break') return request.socket.destroy();
      void request.on('data', (body: Buffer) => response.end(`${request.url} ${body.toString()}`));
    });
    server.on('connection', () => connections++);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = new HttpConnections(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 2, 10_000);
    try {
      const ask = async (path: string): Promise<string> => (await client.ask(0, { method: 'POST', path, headers: {}, body: 'é' })).body;
      const asked = ['/1', '/2', '/3'].map(ask);
      assert.equal(client.leastUsed, 1);
      assert.deepEqual(await Promise.all(asked), ['/1 é', '/2 é', '/3 é']);
      assert.equal(connections, 1);
      const broken = await Promise.allSettled([ask('/break'), ask('/4')]);
      assert.deepEqual(
        broken.map(({ status }) => status),
        ['rejected', 'rejected'],
      );
      assert.equal(await ask('/5'), '/5 é');
      assert.equal(connections, 2);
    } finally {
      client.close();
      server.close();
    }
  });
});
