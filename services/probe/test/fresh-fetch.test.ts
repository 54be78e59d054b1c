import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { Perch, type PerchError } from '@perch/client';
import { needsOpenssl, testCertificates } from '@perch/testkit';
import { freshFetch } from '../src/fresh-fetch.js';

describe('the fetch of the probe', () => {
  const opened: { close(): void; closeAllConnections?(): void }[] = [];
  afterEach(() => {
    for (const server of opened.splice(0)) {
      server.closeAllConnections?.();
      server.close();
    }
  });

  async function listen(server: Server): Promise<string> {
    opened.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const perchAt = (baseUrl: string): Perch => new Perch({ baseUrl, apiKey: 'pk_test', fetch: freshFetch, maxRetries: 0 });
  const codeOf = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'ok',
      (error: unknown) => (error as PerchError).code,
    );

  it('opens a connection for each request, closes it, and sends what the client sends', async () => {
    const requests: string[] = [];
    let connections = 0;
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => (body += part));
      request.on('end', () => {
        requests.push(`${request.method} ${request.url} ${request.headers.authorization} ${request.headers['content-type'] ?? ''} ${body}`.trim());
        response.setHeader('connection', 'keep-alive');
        response.end(JSON.stringify({ ok: true, robots: [], next: null, outcome: 'answered' }));
      });
    });
    server.on('connection', () => (connections += 1));
    const perch = perchAt(await listen(server));
    await perch.listRobots({ limit: 1 });
    await perch.listRobots({ limit: 1 });
    await perch.robot('r-0123456789').ask({ question: 'Ä?', answers: ['a', 'b'] });
    assert.equal(connections, 3);
    assert.deepEqual(requests, [
      'GET /v1/robots?limit=1 Bearer pk_test',
      'GET /v1/robots?limit=1 Bearer pk_test',
      'POST /v1/robots/r-0123456789/ask Bearer pk_test application/json {"question":"Ä?","answers":["a","b"]}',
    ]);
  });

  it('reports what a user would see: no connection, no name, no answer, the page of a balancer, an error of Perch', async () => {
    const closed = createTcpServer();
    const gone = await listen(closed);
    await new Promise((resolve) => closed.close(resolve));
    assert.equal(await codeOf(perchAt(gone).listRobots()), 'unreachable');
    assert.equal(await codeOf(perchAt('http://perch.invalid').listRobots()), 'unreachable');
    const cut = await listen(createTcpServer((socket) => socket.once('data', () => socket.destroy())));
    assert.equal(await codeOf(perchAt(cut).listRobots()), 'no_answer');
    const page = await listen(createServer((_request, response) => response.writeHead(503).end('<h1>no server is available</h1>')));
    assert.equal(await codeOf(perchAt(page).listRobots()), 'bad_answer');
    const empty = await listen(createServer((_request, response) => response.writeHead(204).end()));
    assert.equal(await codeOf(perchAt(empty).listRobots()), 'bad_answer');
    const failing = await listen(
      createServer((_request, response) => response.writeHead(503).end(JSON.stringify({ ok: false, code: 'service_unavailable', error: 'x' }))),
    );
    assert.equal(await codeOf(perchAt(failing).listRobots()), 'service_unavailable');
  });

  it('reaches a name that has addresses of both families where only one of them answers', async () => {
    const url = await listen(createServer((_request, response) => response.end(JSON.stringify({ ok: true, robots: [], next: null }))));
    assert.equal(await codeOf(perchAt(url.replace('127.0.0.1', 'localhost')).listRobots()), 'ok');
  });

  it('refuses a certificate of an authority that it does not know, without sending the key', async function () {
    needsOpenssl(this);
    const { server, remove } = testCertificates();
    let requests = 0;
    const tls = createTlsServer({ cert: readFileSync(server.certificate), key: readFileSync(server.key) }, (_request, response) => {
      requests += 1;
      response.end(JSON.stringify({ ok: true, robots: [], next: null }));
    });
    const url = await listen(tls);
    try {
      assert.equal(await codeOf(perchAt(url.replace('http:', 'https:')).listRobots()), 'unreachable');
      assert.equal(requests, 0);
    } finally {
      remove();
    }
  });

  it('closes the connection when the request is given up, before and during the answer', async () => {
    for (const begins of [false, true]) {
      let isClosed: () => void = () => {};
      const closed = new Promise<void>((resolve) => (isClosed = resolve));
      const server = createServer((_request, response) => {
        response.on('close', isClosed);
        if (begins) response.write('{');
        setImmediate(() => giveUp.abort(new Error('given up')));
      });
      const giveUp = new AbortController();
      await assert.rejects(perchAt(await listen(server)).listRobots({ signal: giveUp.signal }), /given up/);
      await closed;
    }
  });
});
