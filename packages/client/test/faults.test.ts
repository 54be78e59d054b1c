/**
 * Tries what JavaScript programs and their tools do to the client, as users of others have reported. Faults that every client must withstand are in
 * `test-e2e/scenarios/client-faults.test.ts`.
 */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import type * as errorModule from '../src/error.js';
import { isPerchError, Perch, PerchError, type CallReport, type PerchOptions } from '../src/index.js';
import { fails, ok, ScriptedService, streams } from './scripted-service.js';

describe('the client and faults of JavaScript programs that users of others have reported', () => {
  let service: ScriptedService;
  before(async () => {
    service = await ScriptedService.start();
  });
  after(() => service.stop());

  const client = (options: Partial<PerchOptions> = {}): Perch => new Perch({ baseUrl: service.baseUrl, apiKey: 'pk_secret', ...options });

  it('the client refuses what no request can have at once: circular arguments, BigInt, headers, and a port that fetch blocks', async () => {
    for (const headers of [{ x: 'secret\r\ny: 1' }, { 'x y': 'z' }, { Authorization: 'secret' }])
      assert.throws(
        () => client({ headers }),
        (error: unknown) => error instanceof TypeError && !error.message.includes('secret') && error.cause === undefined,
        JSON.stringify(headers),
      );
    service.respondWith(ok());
    const circle: Record<string, unknown> = {};
    circle['args'] = circle;
    const robot = client().robot('r-1');
    for (const call of [
      () => robot.command({ command: 'x', args: circle }),
      () => robot.command({ command: 'x', args: { n: 1n } }),
      () => client({ baseUrl: 'http://127.0.0.1:6000' }).robots(),
    ])
      await assert.rejects(call, TypeError);
    assert.deepEqual(service.requests, []);
  });

  it('the client sends arguments as they were when the call was made', async () => {
    service.respondWith(fails(503, 'busy'), ok());
    const args = { command: 'x', args: { text: 'first' } };
    const call = client().robot('r-1').command(args);
    args.args.text = 'second';
    await call;
    assert.equal(service.requests.length, 2);
    for (const { body } of service.requests) assert.deepEqual(body, { command: 'x', args: { text: 'first' } });
  });

  it('an error of another copy of the package is recognized', async () => {
    const copy = (await import(new URL('../dist/error.js', import.meta.url).href)) as typeof errorModule;
    const error: unknown = new copy.PerchError('no_answer', 'x', { status: 0 });
    assert.equal(error instanceof PerchError, false);
    assert.ok(isPerchError(error));
    for (const other of [null, undefined, 'no_answer', new Error('x'), { code: 'no_answer' }]) assert.equal(isPerchError(other), false);
  });

  it('each response is reported with its request id, and never with the key or a text', async () => {
    const reports: CallReport[] = [];
    const perch = client({ onResponse: (report) => reports.push(report) });
    service.respondWith((response, received) => {
      response.setHeader('x-request-id', 'q-10');
      ok()(response, received);
    });
    await perch.robot('r-1').say({ text: 'a text' });
    assert.deepEqual(
      reports.map(({ method, path, status, requestId }) => [method, path, status, requestId]),
      [['POST', '/v1/robots/r-1/say', 200, 'q-10']],
    );
    assert.doesNotMatch(JSON.stringify(reports), /secret|a text/);
  });

  it('leaving the loop of events settles at once, also while the next event is awaited', async () => {
    service.respondWith(streams('', { stays: true }));
    const events = client().robot('r-1').events();
    const next = events.next();
    await until(() => service.requests.length === 1);
    assert.deepEqual(await events.return(), { done: true, value: undefined });
    assert.deepEqual(await next, { done: true, value: undefined });
  });

  it('the client names itself and sends further headers and options of fetch', async () => {
    let given: unknown;
    service.respondWith(ok());
    const perch = client({
      headers: { 'X-Team': 'blue' },
      fetchOptions: { keepalive: false, dispatcher: undefined },
      fetch: (url, init) => {
        given = (init as { keepalive?: boolean }).keepalive;
        return fetch(url, init as RequestInit);
      },
    });
    await perch.robot('r-1').say({ text: 'Hi' });
    const { headers } = service.requests[0]!;
    assert.deepEqual([headers['x-team'], given], ['blue', false]);
    assert.match(headers['user-agent']!, /^perch-client-js\/\d+\.\d+\.\d+/);
  });
});
