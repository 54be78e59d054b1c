import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { until } from '@perch/testkit';
import { keptConnection, rawRequest } from './raw-request.js';
import { GatewayUnderTest, useGateway, useOwner } from './gateway-under-test.js';

describe('HTTP connections', () => {
  const system = useGateway();
  const owner = useOwner(system);

  it('accepts a request target in absolute form, as a proxy may send it', async () => {
    const answer = await rawRequest(
      system.base,
      `GET http://robots.example/v1/robots/${owner.robot}?x=1 HTTP/1.1\r\nhost: robots.example\r\nauthorization: Bearer ${owner.apiKey}\r\nconnection: close\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 200 /);
  });

  it('answers 400 in JSON for bytes that are not HTTP, and for headers without end', async () => {
    for (const text of [
      'nonsense\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      `GET /v1/robots HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      'GET / HTTP/1.1\r\nhost: x\r\ncontent-length: z\r\n\r\n',
    ]) {
      const answer = await rawRequest(system.base, text);
      assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/, text.slice(0, 40));
      const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
      assert.equal(body.ok, false);
      assert.equal(body.code, 'bad_argument');
    }
  });

  it('answers a valid request first when bytes that are not HTTP follow it', async () => {
    const post = (text: string): string =>
      `POST /v1/robots/${owner.robot}/face HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${owner.apiKey}\r\ncontent-type: application/json\r\n${text}`;
    const face = 'content-length: 19\r\n\r\n{"emotion":"happy"}';
    const statuses = async (text: string): Promise<string[]> =>
      [...(await rawRequest(system.base, text, /$^/)).matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status!);
    assert.deepEqual(await statuses(`${post(face)}nonsense\r\n\r\n`), ['200', '400']);
    assert.deepEqual(await statuses(`${post(face)}${post(face)}nonsense\r\n\r\n`), ['200', '200', '400']);
    assert.deepEqual(await statuses(`${post(`connection: close\r\n${face}`)}GET /v1/robots HTTP/1.1\r\n\r\n`), ['200']);
    assert.deepEqual(await statuses(`${post(face)}${post('transfer-encoding: chunked\r\n\r\nzz\r\n')}`), ['200', '400']);
  });

  it('answers 400 bad_argument and closes the connection when a request has two Host headers, whether equal or not', async () => {
    for (const second of ['x', 'evil.example']) {
      for (const target of ['/v1/robots', '/console/session', '/openapi.json', '/nonsense']) {
        const answer = await rawRequest(
          system.base,
          `GET ${target} HTTP/1.1\r\nhost: x\r\nHOST: ${second}\r\nauthorization: Bearer ${owner.apiKey}\r\n\r\n`,
          /$^/,
        );
        assert.match(answer, /^HTTP\/1\.1 400 /, target);
        const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
        assert.deepEqual([body.ok, body.code], [false, 'bad_argument']);
      }
    }
  });

  it('serves a request without Host like any other', async () => {
    assert.match(await rawRequest(system.base, `GET /v1/robots HTTP/1.1\r\nauthorization: Bearer ${owner.apiKey}\r\n\r\n`), /^HTTP\/1\.1 200 /);
  });

  it('limits the time of a half-sent request', () => {
    const { headersTimeout, requestTimeout } = system.gateway.server;
    assert.ok(headersTimeout > 0 && headersTimeout <= 15_000);
    assert.ok(requestTimeout > 0 && requestTimeout <= 60_000);
  });

  it('answers 400 to headers that do not end in time, and closes a connection without a request silently, so that no client takes an answer to nothing for its own', async () => {
    const hasty = await GatewayUnderTest.start();
    hasty.gateway.server.headersTimeout = 100;
    try {
      const [idle, begun] = await Promise.all(['', 'GET /v1/robots HTTP/1.1\r\nhost: x\r\n'].map((text) => rawRequest(hasty.base, text)));
      assert.equal(idle, '');
      assert.match(begun!, /^HTTP\/1\.1 400 [^]*The request did not arrive in time/);
    } finally {
      await hasty.stop();
    }
  });

  it('keeps a connection without requests for 65 s, or for the time that is set, and for a second more than it tells the client', async () => {
    for (const keepAliveMs of [undefined, 620_000]) {
      const set = await GatewayUnderTest.start(keepAliveMs === undefined ? {} : { keepAliveMs });
      const sockets: Socket[] = [];
      set.gateway.server.on('connection', (socket: Socket) => sockets.push(socket));
      const client = await keptConnection(set.base);
      try {
        const s = (keepAliveMs ?? 65_000) / 1000;
        assert.match(await client.get(), new RegExp(`^HTTP/1\\.1 401 [^]*\\r\\nKeep-Alive: timeout=${s}\\r\\n`));
        // A request that is sent just before the told end arrives in time.
        await until(() => sockets[0]!.timeout === (s + 1) * 1000, { what: 'the idle time of the connection to begin' });
      } finally {
        client.end();
        await set.stop();
      }
    }
  });

  it('answers a request on a connection that was idle for longer than the headers of a request may take', async () => {
    const set = await GatewayUnderTest.start({ keepAliveMs: 60_000 });
    set.gateway.server.headersTimeout = 100;
    const client = await keptConnection(set.base);
    try {
      assert.match(await client.get(), /^HTTP\/1\.1 401 /);
      // Connections are checked once a second.
      await sleep(1_500);
      assert.match(await client.get(), /^HTTP\/1\.1 401 /);
    } finally {
      client.end();
      await set.stop();
    }
  });

  it('closes a connection once it was idle for the time that is set', async () => {
    const set = await GatewayUnderTest.start({ keepAliveMs: 1_000 });
    const client = await keptConnection(set.base);
    try {
      const begun = performance.now();
      await client.get();
      await client.closed;
      assert.ok(performance.now() - begun >= 1_000);
    } finally {
      await set.stop();
    }
  });

  it('leaves nothing behind after a client disconnects in the middle of its body', async () => {
    const { port } = new URL(system.base);
    const socket = connect(Number(port), '127.0.0.1');
    const begun = new Promise((resolve) => system.gateway.server.once('request', resolve));
    socket.write(
      `POST /v1/robots/${owner.robot}/face HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${owner.apiKey}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"emo`,
    );
    await begun;
    socket.destroy();
    await until(async () => /code="client_closed"\} [1-9]/.test(await system.metrics.metrics()), { what: 'the hang-up to be counted' });
    assert.equal((await system.act(owner, 'face', { emotion: 'happy' })).status, 200);
  });

  it('cancels the queued requests of a client that disconnects', async () => {
    const socket = connect(Number(new URL(system.base).port), '127.0.0.1');
    const head = (method: string, path: string): string =>
      `${method} /v1/robots/${owner.robot}/${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${owner.apiKey}\r\n`;
    const question = JSON.stringify({ question: 'Coffee?', answers: ['Yes', 'No'] });
    socket.write(`${head('GET', 'events?seconds=50')}\r\n`);
    await system.untilHolds(1, 'poll');
    socket.write(`${head('POST', 'ask')}content-type: application/json\r\ncontent-length: ${question.length}\r\n\r\n${question}`);
    await system.untilHolds(1, 'wait');
    socket.destroy();
    await system.untilHolds(0, 'poll');
    await system.untilHolds(0, 'wait');
  });

  it('creates requests and responses with the prototypes of Express, so that nothing swaps them', async () => {
    const swaps: unknown[] = [];
    const original = Object.setPrototypeOf;
    Object.setPrototypeOf = (object: object, prototype: object | null) => {
      if (Object.getPrototypeOf(object) !== prototype) swaps.push(object.constructor?.name);
      return original(object, prototype);
    };
    try {
      await system.ask('GET', '/v1/actions', { apiKey: owner.apiKey });
    } finally {
      Object.setPrototypeOf = original;
    }
    assert.deepEqual(
      swaps.filter((name) => name === 'IncomingMessage' || name === 'ServerResponse' || name === 'Made'),
      [],
    );
  });

  it('keeps the properties of requests and responses in slots of V8, from creation to end, not in hash tables', async () => {
    setFlagsFromString('--allow-natives-syntax');
    const inSlots = runInThisContext('(object) => %HasFastProperties(object)') as (object: object) => boolean;
    const seen: Record<string, boolean> = {};
    const look = (when: string, request: object, response: object): void => {
      seen[`request ${when}`] = inSlots(request);
      seen[`response ${when}`] = inSlots(response);
    };
    system.gateway.server.once('request', (request, response) => {
      look('made', request, response);
      response.once('finish', () => look('answered', request, response));
    });
    await system.act(owner, 'leds', { color: '#102030' });
    assert.deepEqual(seen, { 'request made': true, 'response made': true, 'request answered': true, 'response answered': true });
    assert.equal(inSlots(Object.assign(Object.create(null), { a: 1 })), false);
  });
});
