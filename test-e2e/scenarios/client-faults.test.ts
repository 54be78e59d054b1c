/**
 * Both clients, as they are released, against one hostile server: each test is a fault that users of other clients have reported, and all clients must
 * tell the program the same. What only one language has is in `packages/client/test/faults.test.ts` and `clients/python/tests/test_faults.py`.
 */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { skipTest, until } from '@perch/testkit';
import { startFaultClients, type CallArguments, type FaultClient, type FaultClients, type Outcome } from '../fixture/clients/fault-clients.js';
import { answering, HostileServer, page, response, type Received, type Serve } from '../fixture/clients/hostile-server.js';

/** A client with a hostile server of its own. */
interface Play {
  readonly server: HostileServer;
  readonly isTypeScript: boolean;
  call(name: string, args?: CallArguments): Promise<Outcome>;
  begin(name: string, args?: CallArguments): { outcome: Promise<Outcome>; abort(): void };
  /** Answers in order for the calls from now on, and forgets the requests so far. */
  serve(next: Serve): void;
}

const answered = response({ ok: true, outcome: 'answered', answer: 'yes', index: 0 });
const done = response();
const day = 86_400;
const dateIn = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString();
const eventStream = (text: string): string => `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\nretry: 1\n\n${text}`;
const event = (seq: number): string => `id: ${seq}\ndata: {"seq":${seq},"name":"tap"}\n\n`;
const gone = response({ ok: false, code: 'unauthorized', error: 'The key was revoked.', request_id: 'q-1' }, { status: 401 });
const keysOf = ({ requests }: HostileServer): (string | undefined)[] => requests.map(({ headers }) => headers.get('idempotency-key'));
const linesOf = ({ requests }: HostileServer): string[] => requests.map(({ line }) => line.replace(' HTTP/1.1', ''));

/** Answers in order, each on a connection that ends with its answer. */
function ending(...answers: string[]): Serve {
  const next = answering(...answers);
  return (received, socket, nth) => {
    socket.end(next(received, socket, nth)!, 'latin1');
    return undefined;
  };
}

describe('the released clients and faults that users of others have reported', () => {
  let started: FaultClients;
  before(async function () {
    this.timeout(120_000);
    started = await startFaultClients();
  });
  after(() => started.stop());

  /** @param reports of the fault, in the trackers of others */
  function fault(title: string, reports: string, play: (it: Play) => Promise<void>): void {
    it(`${title} (${reports})`, async function () {
      this.timeout(60_000);
      await Promise.all(started.clients.map((client) => playWith(client, play)));
    });
  }

  async function playWith(client: FaultClient, play: (it: Play) => Promise<void>): Promise<void> {
    let serve: Serve = answering(done);
    const server = await HostileServer.start((received, socket, nth) => serve(received, socket, nth));
    const begin: Play['begin'] = (name, args = {}) => client.begin(name, { base: server.url, ...args });
    try {
      await play({
        server,
        isTypeScript: client.name === 'TypeScript',
        begin,
        call: (name, args) => begin(name, args).outcome,
        serve: (next) => {
          serve = next;
          server.requests.length = 0;
        },
      });
    } catch (error) {
      (error as Error).message = `${client.name}: ${(error as Error).message}`;
      throw error;
    } finally {
      await server.close();
    }
  }

  const brief = ({ code, status }: Outcome): unknown[] => [code, status];

  it('the clients of both languages take part where a Python can build the wheel', function () {
    if (started.missing !== null) skipTest(this, started.missing);
    assert.ok(started.clients.length >= 3);
  });

  fault('no redirect is followed, and the error names its origin alone', 'psf/requests#4773, forwardemail/superagent#1844', async (client) => {
    const elsewhere = await HostileServer.start(answering(done));
    try {
      for (const status of [301, 302, 303, 307, 308]) {
        client.serve(answering(response('', { status, location: `${elsewhere.url}/v1/robots/r-1/say?key=pk_secret#x` })));
        for (const outcome of await Promise.all(['say', 'ask', 'robots', 'upload', 'events'].map((name) => client.call(name, { maxRetries: 0 })))) {
          assert.deepEqual(brief(outcome), ['bad_answer', status]);
          assert.ok(outcome.message!.includes(` to ${elsewhere.url}, `), outcome.message);
          assert.doesNotMatch(outcome.message!, /secret/);
        }
      }
      client.serve(answering(response('', { status: 302, location: '/elsewhere' })));
      assert.match((await client.call('robots')).message!, /redirects, and/);
      assert.deepEqual(elsewhere.requests, []);
    } finally {
      await elsewhere.close();
    }
  });

  fault(
    'a kept connection that closes as the next request arrives loses no keyed call and no read',
    'nodejs/undici#3492, nodejs/node#47130',
    async (client) => {
      const closing: Serve = ({ line }, _socket, nth) =>
        nth > 1 ? null : line.includes('/ask') ? answered : response({ ok: true, robots: [], next: null });
      client.serve(closing);
      for (let i = 0; i < 5; i++) {
        assert.ok((await client.call('say')).value);
        assert.ok((await client.call('robots')).value);
        assert.equal((await client.call('ask', { retry: true })).value?.['answer'], 'yes');
      }
      client.serve(closing);
      for (let i = 0; i < 5; i++) await client.call('ask');
      assert.equal(client.server.requests.length, 5, 'nothing without a key is sent again');
    },
  );

  fault('connections that the server closes after 50 ms lose no question with retry', 'nodejs/node#54484', async (client) => {
    client.serve((_received, socket) => {
      setTimeout(() => socket.destroy(), 50);
      return answered;
    });
    for (let i = 0; i < 10; i++) {
      assert.equal((await client.call('ask', { retry: true })).value?.['answer'], 'yes');
      await new Promise((resolve) => setTimeout(resolve, 46 + (i % 5)));
    }
  });

  fault('Retry-After is waited for, in seconds and as a date', 'elizaOS/eliza#22162', async (client) => {
    for (const seconds of [1, 2]) {
      // A date has whole seconds.
      const retryAfter = seconds === 1 ? '1' : dateIn(seconds);
      client.serve(answering(page(429, { 'retry-after': retryAfter }), done));
      const begun = Date.now();
      assert.ok((await client.call('say')).value);
      assert.equal(client.server.requests.length, 2);
      assert.ok(Date.now() - begun > 900, retryAfter);
    }
  });

  fault('a Retry-After that is none counts as absent', 'earendil-works/pi#9571, mastra-ai/mastra#23778', async (client) => {
    for (const retryAfter of ['soon', '-5', '1.5', '+3', '1000abc', '\xb2', '']) {
      client.serve(answering(page(429, { 'retry-after': retryAfter })));
      const { code, retryAfterS } = await client.call('say', { maxRetries: 0 });
      assert.deepEqual([code, retryAfterS], ['bad_answer', null], retryAfter);
    }
  });

  fault('a Retry-After above a minute is told, not waited for', 'openai/openai-node#1841, hashicorp/go-retryablehttp#283', async (client) => {
    for (const retryAfter of [String(day), dateIn(day), '99999999999']) {
      client.serve(answering(response('{}', { status: 503, 'retry-after': retryAfter })));
      const { status, retryAfterS } = await client.call('robots');
      assert.equal(status, 503);
      assert.ok(retryAfterS! > day - 600, retryAfter);
      assert.equal(client.server.requests.length, 1);
    }
  });

  fault('a stream that is resumed does not sleep for a day', 'openclaw/graincrawl#87', async (client) => {
    client.serve(ending(eventStream(event(1)), response('{}', { status: 503, 'retry-after': String(day) })));
    const { seqs, status, retryAfterS } = await client.call('events');
    assert.deepEqual([seqs, status, retryAfterS], [[1], 503, day]);
  });

  fault(
    'the error page of a proxy is told with its status, and a keyed call is sent again',
    'fingerprintjs/node-sdk#204, lingodotdev/lingo.dev#1923',
    async (client) => {
      for (const status of [429, 502, 504]) {
        client.serve(answering(page(status, { 'x-request-id': 'q-7' })));
        const { code, status: told, requestId, message } = await client.call('robots', { maxRetries: 0 });
        assert.deepEqual([code, told, requestId], ['bad_answer', status, 'q-7']);
        const sentence =
          status === 429
            ? /^A proxy refused the call with status 429 .*, not the Perch service: /
            : /^The response with status 50[24] is not from a Perch/;
        assert.match(message!, sentence);
        client.serve(answering(page(status), done));
        assert.ok((await client.call('say')).value);
        const [key, again] = keysOf(client.server);
        assert.ok(key !== undefined && key === again);
      }
      client.serve(answering(page(504)));
      assert.deepEqual(brief(await client.call('ask')), ['bad_answer', 504]);
      assert.deepEqual([client.server.requests.length, keysOf(client.server)], [1, [undefined]], 'a question has no key by default');
    },
  );

  fault('a failure is told with its code, status and request id', 'contentful/contentful-management.py#27', async (client) => {
    const failure = { ok: false, code: 'bad_argument', error: 'text: too long', field: 'text', request_id: 'q-1' };
    client.serve(answering(response(failure, { status: 400 })));
    const { message, ...outcome } = await client.call('say');
    assert.deepEqual(outcome, { code: 'bad_argument', status: 400, requestId: 'q-1', retryAfterS: null });
    assert.equal(message, 'text: too long');
    client.serve(answering(response({ ok: false, code: 'not_found', error: 'x' }, { status: 404, 'x-request-id': 'q-2' })));
    assert.equal((await client.call('say')).requestId, 'q-2');
    // Without a sentence, it is not from a Perch service.
    client.serve(answering(response({ ok: false, code: 'not_found' }, { status: 404 })));
    assert.deepEqual(brief(await client.call('say')), ['bad_answer', 404]);
  });

  for (const [what, reports, bytes] of [
    ['truncated JSON', '0x4D31/galah#7', response('{"ok":true,"rob')],
    ['a page in place of JSON', 'AltimateAI/altimate-code#1119', page(200)],
    ['an empty body', 'spiceai/spiceai#12587', response('')],
    ['JSON that is no object', 'ethersphere/bee-js#456', response('[1]')],
    ['JSON of something else', 'langfuse/langfuse#1754', response('{}')],
  ] as const)
    fault(`${what} with status 200 is told as not from Perch`, reports, async (client) => {
      client.serve(answering(bytes.replace('x\r\n', 'x\r\nx-request-id: q-3\r\n')));
      for (const call of ['say', 'robots', 'upload', 'ask']) {
        const { code, status, requestId } = await client.call(call, { maxRetries: 0 });
        assert.deepEqual([code, status, requestId], ['bad_answer', 200, 'q-3'], call);
      }
    });

  fault('a response without a field that is promised is told as not from Perch', 'lacework/python-sdk#176', async (client) => {
    client.serve(answering(response({ ok: true }, { 'x-request-id': 'q-4' })));
    for (const call of ['robots', 'upload', 'activity', 'usage', 'icons', 'wait', 'screen', 'state', 'read_events', 'group', 'ask']) {
      const { code, status, requestId, message } = await client.call(call, { maxRetries: 0 });
      assert.deepEqual([code, status, requestId], ['bad_answer', 200, 'q-4'], `${call}: ${message}`);
    }
    const { code, status } = await client.call('events', { after: 'now', maxRetries: 0 });
    assert.deepEqual([code, status], ['bad_answer', 200]);
    client.serve(answering(response({ ok: true, robots: null, next: null })));
    assert.deepEqual(brief(await client.call('robots', { maxRetries: 0 })), ['bad_answer', 200]);
  });

  fault('a response that breaks off is no answer, with the status that came', 'psf/requests#3459', async (client) => {
    const half = done.replace(/content-length: \d+/, 'x-request-id: q-5\r\ncontent-length: 100');
    client.serve(ending(half));
    for (const call of ['say', 'ask']) {
      const { code, status, requestId } = await client.call(call, { maxRetries: 0 });
      assert.deepEqual([code, status, requestId], ['no_answer', 200, 'q-5'], call);
    }
    client.serve(answering(null));
    assert.deepEqual(brief(await client.call('ask')), ['no_answer', 0]);
    assert.equal(client.server.requests.length, 1);
    client.serve(answering('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n'.replace('HTTP/1.1', 'SSH-2.0')));
    assert.deepEqual(brief(await client.call('ask', { timeoutS: 5 })), ['no_answer', 0]);
  });

  fault('a body without an end is given up', 'modelcontextprotocol/rust-sdk#1180', async (client) => {
    client.serve((_received, socket) => {
      const chunk = `100000\r\n${' '.repeat(0x100000)}\r\n`;
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', more);
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nx-request-id: q-6\r\n\r\n');
      more();
      return undefined;
    });
    const { code, status, requestId } = await client.call('robots', { maxRetries: 0 });
    assert.deepEqual([code, status, requestId], ['bad_answer', 200, 'q-6']);
    client.serve(answering('HTTP/1.1 200 OK\r\ncontent-length: 999999999999\r\n\r\n'));
    assert.deepEqual(brief(await client.call('robots', { maxRetries: 0 })), ['bad_answer', 200]);
  });

  fault('the time limit of a call holds for silence and for an answer that drips', 'psf/requests#3520, guzzle/test-server#39', async (client) => {
    const drip = (_received: Received, socket: Socket): undefined => {
      const bytes = [...response(`{"ok":true}${' '.repeat(5000)}`)];
      const timer = setInterval(() => socket.write(bytes.shift() ?? ' '), 20);
      socket.on('close', () => clearInterval(timer));
    };
    for (const [serve, status] of [
      [answering(undefined), 0],
      [answering('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n'), 200],
      [drip, null],
    ] as const) {
      client.serve(serve);
      const outcome = await client.call('robots', { timeoutS: 0.5 });
      assert.equal(outcome.code, 'no_answer');
      if (status !== null) assert.equal(outcome.status, status);
    }
    client.serve(answering(response('{}', { status: 503, 'retry-after': 2 })));
    assert.equal((await client.call('say', { timeoutS: 1 })).status, 503);
    assert.equal(client.server.requests.length, 1, 'no wait is longer than the limit');
  });

  fault('a rate limit of an hour is told, and nothing is sent', 'dhkts1/teamclaude-rs#313', async (client) => {
    // Each call of the program is a client of its own, so that the one call has to learn and to wait: a list of two slices.
    const slice = { ok: true, robots: [], next: 'r-5' };
    client.serve(answering(response(slice, { 'ratelimit-policy': '"actions";q=1;w=3600', ratelimit: '"actions";r=0;t=3600' })));
    const { code, status, retryAfterS } = await client.call('robots');
    assert.deepEqual([code, status], ['rate_limited', 0]);
    assert.ok(retryAfterS! > 3000);
    assert.equal(client.server.requests.length, 1);
  });

  fault(
    'a stream that breaks before or within an event is resumed, and nothing is missed or told twice',
    'viniciusgerevini/sse-client#13, stellar/laboratory#215',
    async (client) => {
      const within = `${event(1)}id: 2\ndata: {"seq":2,"na`;
      client.serve(ending(...Array<string>(5).fill(eventStream('')), eventStream(within), eventStream(event(2)), gone));
      const { seqs, code, status } = await client.call('events');
      assert.deepEqual([seqs, code, status], [[1, 2], 'unauthorized', 401]);
      assert.deepEqual(
        client.server.requests.slice(5).map(({ headers }) => headers.get('last-event-id')),
        [undefined, '1', '2'],
      );
    },
  );

  fault('a record of a stream that is broken or too long is told', 'btubbs/sseclient#28, btubbs/sseclient#34', async (client) => {
    for (const [text, why] of [
      ['data: {seq\n\n', /not JSON/],
      [`data: ${'x'.repeat(2_000_000)}`, /too long/],
    ] as const) {
      client.serve(ending(eventStream(text)));
      const { seqs, code, message } = await client.call('events');
      assert.deepEqual([seqs, code], [[], 'bad_answer']);
      assert.match(message!, why);
    }
  });

  fault('what cannot be connected to is unreachable', 'encode/httpx#646', async (client) => {
    const closed = await HostileServer.start(answering(done));
    const { url } = closed;
    await closed.close();
    for (const base of [url, 'http://no-such-host.invalid', client.server.url.replace('http:', 'https:')])
      assert.deepEqual(brief(await client.call('ask', { base, maxRetries: 0 })), ['unreachable', 0], base);
  });

  fault(
    'what no request can have is refused at once, without being quoted',
    'typesafe-ai/typesafe-sdk-python#9, logicalclocks/hopsworks-api#185',
    async (client) => {
      const bases = [
        'http://user:pk_secret@h.example',
        'http://h.example?key=pk_secret',
        'http://h.example/#pk_secret',
        'pk_secret',
        'pk_secret://h.example',
        'http://[pk_secret',
      ];
      for (const args of [...bases.map((base) => ({ base })), ...['pk_secret\n', 'pk_secret ', 'pk_s\u00e9cret', ''].map((key) => ({ key }))]) {
        const { refused, message } = await client.call('new', args);
        assert.equal(refused, true, `${JSON.stringify(args)}: ${message}`);
        assert.doesNotMatch(message!, /secret/);
      }
      for (const [call, args] of [
        ...['.', '..', ''].map((robot) => ['say', { robot }] as const),
        ['wait', { wait: '..' }],
        ['group', { label: '..' }],
        ...['a\r\nb', '', 'a b'].map((idempotencyKey) => ['say', { idempotencyKey }] as const),
      ] as const) {
        const { refused, message } = await client.call(call, args);
        assert.equal(refused, true, `${call} ${JSON.stringify(args)}: ${message}`);
      }
      assert.deepEqual(client.server.requests, []);
    },
  );

  fault('every call that acts has a key of its own, and no question and no read has one', 'Comfy-Org/comfy-python-sdk#79', async (client) => {
    client.serve(answering(response({ ok: true, results: [], robots: [] })));
    for (const call of ['say', 'speak', 'scene', 'group', 'say']) assert.ok((await client.call(call)).value, call);
    assert.equal(new Set(keysOf(client.server).filter((key) => key !== undefined)).size, 5);
    client.serve(answering(done));
    for (const call of ['ask', 'state', 'robots', 'upload']) await client.call(call, { maxRetries: 0 });
    assert.deepEqual(keysOf(client.server), Array(4).fill(undefined));
  });

  fault(
    'a question with retry is asked again under its key where the connection breaks or a proxy gives up',
    'anthropics/anthropic-sdk-java#370',
    async (client) => {
      client.serve(answering(null, page(504), null, answered));
      const { value } = await client.call('ask', { retry: true, maxRetries: 0 });
      assert.equal(value?.['answer'], 'yes');
      const keys = keysOf(client.server);
      assert.deepEqual([keys.length, new Set(keys).size], [4, 1]);
      assert.match(keys[0]!, /^[0-9a-f]{32}$/);
      client.serve(answering(null, answered));
      await client.call('ask', { retry: true, idempotencyKey: 'deploy-42' });
      assert.deepEqual(keysOf(client.server), ['deploy-42', 'deploy-42']);
      client.serve(answering(response({ ok: false, code: 'robot_offline', error: 'x' }, { status: 503 })));
      assert.equal((await client.call('ask', { retry: true })).code, 'robot_offline');
      assert.equal(client.server.requests.length, 1, 'what the service has answered is final');
    },
  );

  fault('a question with retry that is aborted or takes too long is removed under its key', 'unjs/httpxy#85', async (client) => {
    const removing: Serve = ({ line }) => (line.startsWith('DELETE') ? done : undefined);
    for (const isAborted of [true, false]) {
      client.serve(removing);
      const asked = client.begin('ask', { retry: true, ...(!isAborted && { timeoutS: 0.5 }) });
      await until(() => client.server.requests.length === 1);
      if (isAborted) asked.abort();
      const outcome = await asked.outcome;
      assert.equal(isAborted ? outcome.aborted : outcome.code, isAborted ? true : 'no_answer');
      await until(() => client.server.requests.length === 2);
      assert.deepEqual(linesOf(client.server), ['POST /v1/robots/r-1/ask', 'DELETE /v1/robots/r-1/wait']);
      const [key, again] = keysOf(client.server);
      assert.ok(key !== undefined && key === again);
    }
    for (const isAborted of [true, false]) {
      client.serve(answering(undefined));
      const unkeyed = client.begin('ask', isAborted ? {} : { timeoutS: 0.5 });
      await until(() => client.server.requests.length === 1);
      if (isAborted) unkeyed.abort();
      assert.equal((await unkeyed.outcome).aborted === true, isAborted);
      // Closing its connection removes a question without a key.
      await until(() => client.server.waiting === 0);
      assert.equal(client.server.requests.length, 1);
    }
  });
});
