import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { until } from '@perch/testkit';
import { Perch, PerchError } from '../src/index.js';
import { waitMsOf } from '../src/robot-client.js';
import { cut, fails, ok, page, ScriptedService, silence } from './scripted-service.js';

describe('calls of the client', () => {
  let service: ScriptedService;
  let perch: Perch;
  before(async () => {
    service = await ScriptedService.start();
  });
  beforeEach(() => {
    perch = new Perch({ baseUrl: `${service.baseUrl}/`, apiKey: 'pk_test' });
  });
  after(() => service.stop());

  const keys = (): unknown[] => service.requests.map(({ headers }) => headers['idempotency-key']);

  const error = async (call: Promise<unknown>): Promise<PerchError> => {
    const thrown = await call.then(
      () => assert.fail('the call succeeded'),
      (reason: unknown) => reason,
    );
    assert.ok(thrown instanceof PerchError, String(thrown));
    return thrown;
  };

  it('sends an action as a POST with the key and the arguments as JSON', async () => {
    service.respondWith(ok({ outcome: 'answered', answer: 'Yes', index: 0 }));
    const answer = await perch.robot('r-1/2').ask({ question: 'Now?', answers: ['Yes', 'No'] });
    assert.equal(answer.answer, 'Yes');
    const [{ method, path, headers, body }] = service.requests as [(typeof service.requests)[0]];
    assert.deepEqual([method, path, body], ['POST', '/v1/robots/r-1%2F2/ask', { question: 'Now?', answers: ['Yes', 'No'] }]);
    assert.deepEqual([headers.authorization, headers['content-type'], headers['idempotency-key']], ['Bearer pk_test', 'application/json', undefined]);
  });

  it('waits for a question as long as the service may: pages that must all be read extend the default', () => {
    const pages = { whole: true, overflow: 'pages' };
    const waited = [
      {},
      { whole: true },
      { overflow: 'pages' },
      pages,
      { ...pages, timeout_s: 40 },
      { ...pages, detach: true },
      { ...pages, queue: true },
    ];
    assert.deepEqual(
      waited.map((args) => waitMsOf('ask', args) / 1000),
      [30, 30, 30, 120, 40, 0, 240],
    );
  });

  it('sends an action to a group by its label, and returns the answer of each robot', async () => {
    const robots = [
      { robot: 'r-1', ok: true },
      { robot: 'r-2', ok: false, error: 'The robot is offline.', code: 'robot_offline', request_id: 'q-1' },
    ];
    service.respondWith(ok({ robots, failed: 1 }));
    assert.deepEqual((await perch.group('room=r 7').act('leds', { color: 'red' })).robots, robots);
    service.respondWith(ok({ robots: [], failed: 0, first: null }));
    await perch.group('all').act('ask', { question: 'Now?', answers: ['Yes', 'No'] }, { answers: 'first' });
    assert.equal(service.requests.at(-1)!.path, '/v1/groups/all/ask?answers=first');
    service.respondWith(fails(404, 'not_found'));
    assert.equal((await error(perch.group('room=r9').act('leds', { color: 'red' }))).code, 'not_found');
  });

  it('goes on waiting for a question that was asked with detach, which is asked under a generated key, and takes it away', async () => {
    service.respondWith(ok({ outcome: 'pending', wait: 'wt-1-2' }), ok({ outcome: 'answered', answer: 'Yes' }), ok({}));
    const { wait } = await perch.robot('r-1').ask({ question: 'Now?', answers: ['Yes', 'No'], detach: true, timeout_s: 86_400 });
    assert.equal((await perch.wait(wait!, { seconds: 60 })).answer, 'Yes');
    await perch.removeWait(wait!);
    assert.deepEqual(
      service.requests.map(({ method, path, headers }) => [method, path, headers['idempotency-key'] !== undefined]),
      [
        ['POST', '/v1/robots/r-1/ask', true],
        ['GET', '/v1/waits/wt-1-2?seconds=60', false],
        ['DELETE', '/v1/waits/wt-1-2', false],
      ],
    );
  });

  it('uploads a picture as its bytes, and repeats the upload after a lost response', async () => {
    service.respondWith(cut, ok({ picture: 'p-1' }));
    const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
    assert.equal((await perch.uploadPicture(bytes)).picture, 'p-1');
    assert.deepEqual(
      service.requests.map(({ method, path, headers }) => [method, path, headers['content-type'], headers['content-length']]),
      Array.from({ length: 2 }, () => ['POST', '/v1/pictures', 'image/png', '4']),
    );
    assert.deepEqual(keys(), [undefined, undefined]);
  });

  it('reads the activity with its filters, and all of it page by page, newest first', async () => {
    service.respondWith(ok({ activity: [], last_seq: 9, next_before: null }));
    await perch.activity({ robot: 'r-1', key: 'page', action: 'ask', outcome: 'refused', kind: 'calls', after: 7, limit: 20 });
    assert.equal(service.requests[0]!.path, '/v1/activity?after=7&limit=20&robot=r-1&key=page&action=ask&outcome=refused&kind=calls');
    const entries = [1, 2, 3].map((seq) => ({ seq }));
    service.respondWith(
      ok({ activity: entries.slice(1), last_seq: 3, next_before: 2 }),
      ok({ activity: entries.slice(0, 1), last_seq: 3, next_before: null }),
    );
    const seqs: number[] = [];
    for await (const { seq } of perch.eachActivity({ kind: 'changes' })) seqs.push(seq);
    assert.deepEqual(seqs, [3, 2, 1]);
    assert.deepEqual(
      service.requests.map(({ path }) => path),
      ['/v1/activity?limit=1000&kind=changes', '/v1/activity?before=2&limit=1000&kind=changes'],
    );
  });

  it('reads the usage, and exports the activity as it is sent', async () => {
    service.respondWith(ok({ days: [{ date: '2026-11-24', keys: [] }] }));
    assert.deepEqual(await perch.usage(), [{ date: '2026-11-24', keys: [] }]);
    service.respondWith((response) => void response.writeHead(200, { 'content-type': 'text/csv' }).end('seq,at\r\n'));
    assert.equal(await (await perch.exportActivity({ format: 'csv', robot: 'r-1' })).text(), 'seq,at\r\n');
    assert.equal(service.requests[0]!.path, '/v1/activity/export?format=csv&robot=r-1');
    service.respondWith(fails(400, 'bad_argument', { field: 'robot' }));
    assert.equal((await error(perch.exportActivity())).field, 'robot');
  });

  it('lists robots slice by slice, with the filters of the list, until next is null', async () => {
    const robots = ['r-a', 'r-b', 'r-c'].map((id) => ({ id }));
    service.respondWith(ok({ robots: robots.slice(0, 2), next: 'r-b' }), ok({ robots: robots.slice(2), next: null }));
    const each: string[] = [];
    for await (const robot of perch.eachRobot({ online: true, firmware: '1.0 b' })) each.push(robot.id);
    assert.deepEqual(each, ['r-a', 'r-b', 'r-c']);
    assert.deepEqual(
      service.requests.map(({ path }) => path),
      ['/v1/robots?limit=500&online=true&firmware=1.0+b', '/v1/robots?limit=500&after=r-b&online=true&firmware=1.0+b'],
    );
  });

  it('lists the robots with all of the given labels, and none of a service before 0.10.0', async () => {
    service.respondWith(ok({ robots: [{ id: 'r-a' }], next: null }), ok({ robots: [{ id: 'r-a' }] }));
    assert.equal((await perch.robots({ label: ['room=r7', 'note=a b'] })).length, 1);
    assert.deepEqual(await perch.listRobots({ label: 'room=r7' }), { robots: [], next: null });
    assert.deepEqual(
      service.requests.map(({ path }) => path),
      ['/v1/robots?limit=500&label=room%3Dr7&label=note%3Da+b', '/v1/robots?label=room%3Dr7'],
    );
  });

  it('lists every matching robot once when some slices come from a service before 0.10.0, which sends all robots', async () => {
    const robots = ['r-c', 'r-a', 'r-d', 'r-b'].map((id) => ({ id, online: id !== 'r-d', firmware: '1.0' }));
    const [c, a, , b] = robots;
    service.respondWith(ok({ robots: [a, b], next: 'r-b' }), ok({ robots }));
    assert.deepEqual(await perch.robots({ online: true }), [a, b, c]);
    service.respondWith(ok({ robots }));
    assert.deepEqual(await perch.listRobots({ limit: 2 }), { robots: [a, b], next: 'r-b' });
    assert.deepEqual(await perch.listRobots({ limit: 2, after: 'r-a', online: true }), { robots: [b, c], next: null });
    assert.deepEqual(await perch.listRobots({ firmware: '2.0' }), { robots: [], next: null });
    assert.equal((await perch.listRobots()).robots.length, 4);
    assert.equal(service.requests.at(-1)!.path, '/v1/robots');
  });

  it('throws a failure with its code, status, field, next step, request id and message', async () => {
    service.respondWith(fails(400, 'bad_argument', { field: 'pitch', next: 'Send less.' }));
    const { code, status, field, next, requestId, message } = await error(perch.robot('r').move({ pitch: 1 }));
    assert.deepEqual(
      { code, status, field, next, requestId, message },
      { code: 'bad_argument', status: 400, field: 'pitch', next: 'Send less.', requestId: 'q-0123456789', message: 'bad_argument, as scripted' },
    );
    assert.equal(service.requests.length, 1);
  });

  for (const [status, code] of [
    [429, 'rate_limited'],
    [503, 'service_unavailable'],
    [503, 'draining'],
    [503, 'robot_busy'],
    [503, 'busy'],
    [503, 'render_failed'],
  ] as const) {
    it(`retries a call that was not executed: ${code}`, async () => {
      service.respondWith(fails(status, code), ok());
      await perch.robot('r').say({ text: 'Hi' });
      assert.equal(service.requests.length, 2);
    });
  }

  it('retries no sooner than Retry-After says', async () => {
    service.respondWith(fails(429, 'rate_limited', { headers: { 'retry-after': '1' } }), ok());
    const began = performance.now();
    await perch.robot('r').say({ text: 'Hi' });
    assert.ok(performance.now() - began >= 1000);
  });

  for (const [what, answer, code] of [
    ['a call with unknown outcome', fails(503, 'outcome_unknown'), 'outcome_unknown'],
    ['a command that was not confirmed', fails(503, 'no_ack'), 'no_ack'],
    ['an internal error', fails(500, 'internal'), 'internal'],
    ['an error page of a proxy', page(502), 'bad_answer'],
    ['a connection that was cut', cut, 'no_answer'],
    ['an offline robot', fails(503, 'robot_offline'), 'robot_offline'],
    ['a wait whose outcome the service lost', fails(503, 'service_unavailable'), 'service_unavailable'],
    ['a scene that had begun', fails(503, 'robot_busy', { results: [{ ok: true }], field: 'actions[1]' }), 'robot_busy'],
    ['a long Retry-After', fails(429, 'rate_limited', { headers: { 'retry-after': '3600' } }), 'rate_limited'],
  ] as const) {
    it(`does not retry ${what}`, async () => {
      service.respondWith(answer, ok());
      const robot = perch.robot('r');
      const call = what.startsWith('a scene')
        ? robot.scene([{ action: 'face', emotion: 'happy' }])
        : robot.ask({ question: '?', answers: ['a', 'b'] });
      assert.equal((await error(call)).code, code);
      assert.equal(service.requests.length, 1);
    });
  }

  for (const [what, answer] of [
    ['the service reports an internal error', fails(500, 'internal')],
    ['a proxy responds with an error page', page(502)],
    ['the connection was cut', cut],
  ] as const) {
    it(`retries reads and calls with an Idempotency-Key when ${what}`, async () => {
      service.respondWith(answer, ok({ events: [] }));
      await perch.robot('r').readEvents();
      assert.deepEqual(keys(), [undefined, undefined]);
      service.respondWith(answer, ok());
      await perch.robot('r').ask({ question: '?', answers: ['a', 'b'] }, { idempotencyKey: 'question-1' });
      assert.deepEqual(keys(), ['question-1', 'question-1']);
      service.respondWith(answer, ok());
      await perch.robot('r').show({ text: '1' });
      const [key, again] = keys();
      assert.match(String(key), /^[0-9a-f]{32}$/);
      assert.equal(again, key);
    });
  }

  it('generates a new Idempotency-Key for each call, except for waits, without retries, and when turned off', async () => {
    service.respondWith(ok());
    const robot = perch.robot('r');
    for (let i = 0; i < 3; i++) await robot.move({ yaw: i });
    assert.equal(new Set(keys()).size, 3);
    service.respondWith(ok());
    await robot.menu({ items: ['a', 'b'] });
    await robot.scene([
      { action: 'face', emotion: 'happy' },
      { action: 'ask', question: '?', answers: ['a', 'b'] },
    ]);
    await new Perch({ baseUrl: service.baseUrl, apiKey: 'k', maxRetries: 0 }).robot('r').move({ yaw: 1 });
    await new Perch({ baseUrl: service.baseUrl, apiKey: 'k', idempotencyKeys: false }).robot('r').move({ yaw: 1 });
    assert.deepEqual(keys(), [undefined, undefined, undefined, undefined]);
  });

  it('retries a read with unknown outcome, but not a call with a key, whose outcome stays unknown', async () => {
    service.respondWith(fails(503, 'outcome_unknown'), ok());
    await perch.robot('r').state();
    service.respondWith(fails(503, 'outcome_unknown'), ok());
    assert.equal((await error(perch.robot('r').move({ yaw: 1 }))).code, 'outcome_unknown');
    assert.equal(service.requests.length, 1);
  });

  it('retries up to maxRetries times, and throws the last failure', async () => {
    service.respondWith(fails(503, 'robot_busy'));
    assert.equal((await error(new Perch({ baseUrl: service.baseUrl, apiKey: 'k', maxRetries: 1 }).robot('r').stop())).code, 'robot_busy');
    assert.equal(service.requests.length, 2);
    await error(new Perch({ baseUrl: service.baseUrl, apiKey: 'k', maxRetries: 0 }).robot('r').stop());
    assert.equal(service.requests.length, 3);
  });

  it('retries any call that could not connect', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };
    await new Promise((resolve) => taken.close(resolve));
    let tries = 0;
    const counting: typeof fetch = (...args) => {
      tries++;
      return fetch(...args);
    };
    const unreachable = new Perch({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'k', fetch: counting, maxRetries: 1 });
    assert.equal((await error(unreachable.robot('r').say({ text: 'Hi' }))).code, 'unreachable');
    assert.equal(tries, 2);
  });

  it('rejects with the reason of the signal: before sending, while waiting for the response, and between tries', async () => {
    const reason = new Error('enough');
    service.respondWith(silence);
    await assert.rejects(perch.robot('r').stop({ signal: AbortSignal.abort(reason) }), reason);
    assert.equal(service.requests.length, 0);

    const waiting = new AbortController();
    const call = perch.robot('r').ask({ question: '?', answers: ['a', 'b'] }, { signal: waiting.signal });
    await until(() => service.requests.length === 1);
    waiting.abort(reason);
    await assert.rejects(call, reason);

    service.respondWith(fails(503, 'draining', { headers: { 'retry-after': '20' } }));
    const between = new AbortController();
    const trying = perch.robot('r').stop({ signal: between.signal });
    await until(() => service.requests.length === 1);
    setTimeout(() => between.abort(reason), 20);
    await assert.rejects(trying, reason);
    assert.equal(service.requests.length, 1);
  });

  it('rejects a malformed baseUrl or apiKey in the constructor', () => {
    for (const baseUrl of [undefined, '', 'robots.example']) assert.throws(() => new Perch({ baseUrl, apiKey: 'k' }), /baseUrl must be/);
    for (const apiKey of [undefined, '', 'pk\n']) assert.throws(() => new Perch({ baseUrl: 'http://localhost', apiKey }), /apiKey must be/);
  });
});
