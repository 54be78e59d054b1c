import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { Perch, PerchError, type EventGap, type RobotEvent } from '../src/index.js';
import { cut, fails, ok, page, ScriptedService, streams } from './scripted-service.js';

const retry = 'retry: 10\n\n';
const tap = (seq: number): string =>
  `id: ${seq}\ndata: ${JSON.stringify({ seq, name: 'tap', data: { x: 1, y: 2 }, at: '2026-01-01T00:00:00Z' })}\n\n`;
const end = (code: string): string =>
  `event: end\nid: 7\ndata: ${JSON.stringify({ ok: false, error: `${code}, as scripted`, code, request_id: 'q' })}\n\n`;

describe('events of the client', () => {
  let service: ScriptedService;
  let perch: Perch;
  before(async () => {
    service = await ScriptedService.start();
    perch = new Perch({ baseUrl: service.baseUrl, apiKey: 'pk_test' });
  });
  after(() => service.stop());

  const read = async (count: number, options: Parameters<ReturnType<Perch['robot']>['events']>[0] = {}): Promise<(RobotEvent | EventGap)[]> => {
    const records: (RobotEvent | EventGap)[] = [];
    for await (const record of perch.robot('r').events(options)) if (records.push(record) === count) break;
    return records;
  };

  const seqs = (records: (RobotEvent | EventGap)[]): unknown[] =>
    records.map((record) => (record.name === 'gap' ? [record.after, record.next] : record.seq));

  it('yields events as they happen, filtered by after and names', async () => {
    service.respondWith(streams(retry + tap(5) + tap(6), { stays: true }));
    const [first] = await read(2, { after: 4, names: ['tap', 'pat'] });
    assert.deepEqual(first, { seq: 5, name: 'tap', data: { x: 1, y: 2 }, at: '2026-01-01T00:00:00Z' });
    const { method, path, headers } = service.requests[0]!;
    assert.deepEqual([method, path, headers.accept], ['GET', '/v1/robots/r/events?after=4&names=tap%2Cpat', 'text/event-stream']);
    assert.equal(headers['last-event-id'], undefined);
  });

  it('yields only events after the latest one for after: now', async () => {
    service.respondWith(ok({ last_seq: 41 }), streams(tap(42), { stays: true }));
    assert.deepEqual(seqs(await read(1, { after: 'now' })), [42]);
    assert.equal(service.requests[1]!.path, '/v1/robots/r/events?after=41');
  });

  it('resumes after the last event when the stream breaks off, is rejected or is cut, whatever happens in between', async () => {
    service.respondWith(
      streams(`${retry}${tap(1)}id: 3\n\n`),
      cut,
      page(502),
      fails(503, 'service_unavailable'),
      fails(429, 'rate_limited'),
      streams(`event: gap\nid: 6\ndata: {"after":3,"next":7}\n\n${tap(7)}`, { stays: true }),
    );
    assert.deepEqual(seqs(await read(3)), [1, [3, 7], 7]);
    assert.deepEqual([...new Set(service.requests.slice(1).map(({ headers }) => headers['last-event-id']))], ['3']);
  });

  it('resumes when a draining instance or an unavailable storage ends the stream', async () => {
    service.respondWith(streams(retry + tap(7) + end('draining')), streams(end('service_unavailable')), streams(tap(8), { stays: true }));
    assert.deepEqual(seqs(await read(2)), [7, 8]);
    assert.deepEqual(
      service.requests.map(({ headers }) => headers['last-event-id']),
      [undefined, '7', '7'],
    );
  });

  for (const code of ['unauthorized', 'unknown_robot']) {
    it(`throws the error with which the service ends the stream permanently: ${code}`, async () => {
      service.respondWith(streams(retry + tap(1) + end(code)));
      await assert.rejects(read(2), (error) => error instanceof PerchError && error.code === code);
      service.respondWith(streams(retry + tap(1)), fails(401, code));
      await assert.rejects(read(2), (error) => error instanceof PerchError && error.code === code);
    });
  }

  it('throws an error if the stream cannot be opened at first', async () => {
    service.respondWith(page(404));
    await assert.rejects(read(1), { code: 'bad_answer', status: 404 });
    service.respondWith(fails(404, 'unknown_robot'));
    await assert.rejects(read(1), { code: 'unknown_robot' });
    service.respondWith(ok());
    await assert.rejects(read(1), { code: 'bad_answer' }, 'a JSON response is not a stream');
  });

  it('throws the reason of the signal, and closes the connection', async () => {
    let closed = false;
    service.respondWith((response, received) => {
      response.on('close', () => (closed = true));
      streams(retry + tap(1), { stays: true })(response, received);
    });
    const reason = new Error('enough');
    const stop = new AbortController();
    await assert.rejects(async () => {
      for await (const { name } of perch.robot('r').events({ signal: stop.signal })) if (name === 'tap') stop.abort(reason);
    }, reason);
    await until(() => closed);
    closed = false;
    await read(1);
    await until(() => closed, { what: 'the connection of a loop that was left to close' });
  });
});
