import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { LiveEvent } from '@perch/schema';
import { until } from '@perch/testkit';
import { CallError } from '../../src/api/call-error.js';
import { LiveStream, type LiveStatus, type LiveStreamOptions } from '../../src/api/live/live-stream.js';
import { scriptedService, type RecordedRequest, type ScriptedService } from '../scripted-service.js';

const soon = (condition: () => boolean): Promise<boolean> => until(condition);
const robots = { ok: true, robots: [], total: 0 };

describe('LiveStream', () => {
  let service: ScriptedService | undefined;
  let stream: LiveStream;
  let statuses: LiveStatus[];
  let events: [robot: string | null, event: LiveEvent][];
  let signedOut: number;

  async function start(
    answer: (request: RecordedRequest, response: ServerResponse) => void,
    options: Partial<Pick<LiveStreamOptions, 'silenceMs' | 'graceMs' | 'open'>> = {},
  ): Promise<void> {
    service = await scriptedService(answer);
    const { fetch } = service;
    statuses = [];
    events = [];
    signedOut = 0;
    stream = new LiveStream({
      open: (path, init) => fetch(path, init),
      onEvent: (event, robot) => events.push([robot, event]),
      onStatus: (status) => statuses.push(status),
      onSignedOut: () => signedOut++,
      retryMs: { first: 5, last: 20 },
      graceMs: 60_000,
      ...options,
    });
  }

  afterEach(async () => {
    stream.stop();
    await service?.close();
  });

  const open = (response: ServerResponse, text = ''): void => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(`retry: 500\n\n${text}`);
  };
  const record = (event: string, data: object, id?: number): string =>
    `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;

  it('reports events and ignores unknown ones', async () => {
    await start((_, response) => open(response, record('novelty', {}) + record('robots', robots)));
    stream.resume();
    await soon(() => events.length === 1);
    assert.deepEqual(events, [[null, { event: 'robots', data: robots }]]);
    assert.deepEqual(statuses, ['live']);
  });

  it('requests the watched robot, and resumes after its last event when the connection was cut, without reporting a loss', async () => {
    const event = { seq: 41, name: 'tap', data: {}, at: '2030-01-01T00:00:00Z' };
    await start((_, response) => {
      open(response, record('event', event, 41));
      if (service!.requests.length === 1) void soon(() => events.length === 1).then(() => response.destroy());
    });
    stream.watch('r-1');
    stream.resume();
    await soon(() => events.length === 2);
    assert.deepEqual(
      service!.requests.map(({ path, headers }) => [path, headers['last-event-id']]),
      [
        ['/console/live?robot=r-1', undefined],
        ['/console/live?robot=r-1', '41'],
      ],
    );
    assert.deepEqual(statuses, ['live']);
  });

  it('reconnects without Last-Event-ID when another robot or none is watched', async () => {
    await start((_, response) => open(response, record('event', { seq: 7, name: 'pat', data: {}, at: '' }, 7)));
    stream.resume();
    stream.watch('r-1');
    await soon(() => events.some(([robot]) => robot === 'r-1'));
    stream.watch('r-2');
    await soon(() => events.some(([robot]) => robot === 'r-2'));
    stream.watch(null);
    await soon(() => service!.requests.at(-1)!.path === '/console/live');
    assert.ok(service!.requests.every(({ headers }) => headers['last-event-id'] === undefined));
  });

  it('reports lost after a second failed attempt, and live when one succeeds', async () => {
    let down = true;
    await start((_, response) => (down ? response.writeHead(503).end() : open(response)));
    stream.resume();
    await soon(() => statuses.at(-1) === 'lost');
    assert.ok(service!.requests.length >= 2);
    down = false;
    await soon(() => statuses.at(-1) === 'live');
  });

  it('reports lost when it cannot connect within the grace period', async () => {
    await start(() => {}, { graceMs: 20 });
    stream.resume();
    await soon(() => statuses.at(-1) === 'lost');
  });

  it('reconnects when the stream is silent for too long', async () => {
    await start((_, response) => open(response), { silenceMs: 40 });
    stream.resume();
    await soon(() => service!.requests.length >= 2);
  });

  it('reports the end of the session once, and sends no request until it is resumed', async () => {
    await start((_, response) => (signedOut === 0 ? response.writeHead(401).end() : open(response)));
    stream.resume();
    await soon(() => signedOut === 1);
    assert.equal(service!.requests.length, 1);
    stream.resume();
    await soon(() => statuses.at(-1) === 'live');
  });

  it('sends no request after the service ended the stream with its session, since the next session may be of another account', async () => {
    await start((_, response) => {
      open(response);
      response.end(record('end', { ok: false, code: 'signed_out', error: 'The session ended.' }));
    });
    stream.resume();
    await until(() => signedOut > 0 || service!.requests.length > 1);
    assert.deepEqual([signedOut, service!.requests.length], [1, 1]);
  });

  it('sends no request after a response for another account', async () => {
    await start((_, response) => open(response, record('robots', robots)), {
      open: () => Promise.reject(new CallError('signed_out', 'Somebody else is here.')),
    });
    stream.resume();
    await until(() => signedOut === 1);
    assert.deepEqual(events, []);
  });

  it('reconnects after an end record with another reason', async () => {
    await start((_, response) => {
      open(response);
      if (service!.requests.length === 1) response.write(record('end', { ok: false, code: 'service_unavailable', error: 'Later.' }));
    });
    stream.resume();
    await until(() => service!.requests.length === 2);
    assert.equal(signedOut, 0);
  });

  it('holds no connection while paused, and resumes after its last event', async () => {
    let closed = 0;
    await start((_, response) => {
      response.once('close', () => closed++);
      open(response, record('event', { seq: 41, name: 'tap', data: {}, at: '' }, 41));
    });
    stream.watch('r-1');
    stream.start('one');
    await until(() => events.length === 1);
    stream.pause();
    await until(() => closed === 1);
    stream.start('two');
    stream.reconnect();
    assert.equal(service!.requests.length, 1);
    stream.resume();
    await until(() => events.length === 2);
    assert.deepEqual([service!.requests.length, service!.requests[1]!.headers['last-event-id'], statuses], [2, '41', ['live']]);
  });

  it('reconnects for another session, and keeps the connection for the same one', async () => {
    await start((_, response) => open(response));
    stream.start('one');
    await soon(() => service!.requests.length === 1);
    stream.start('one');
    stream.start('two');
    await soon(() => service!.requests.length === 2);
    assert.deepEqual(statuses, ['live']);
  });

  it('reconnects at once on request, without reporting a loss if that succeeds', async () => {
    await start((_, response) => open(response));
    stream.resume();
    await soon(() => statuses.at(-1) === 'live');
    stream.reconnect();
    await soon(() => service!.requests.length === 2);
    assert.deepEqual(statuses, ['live']);
  });

  it('continues without the watched robot when it does not exist', async () => {
    await start(({ path }, response) => (path.includes('robot=') ? response.writeHead(404).end() : open(response, record('robots', robots))));
    stream.watch('r-gone');
    stream.resume();
    await soon(() => events.length === 1);
    assert.deepEqual(
      service!.requests.map(({ path }) => path),
      ['/console/live?robot=r-gone', '/console/live'],
    );
  });

  it('reconnects without reporting a loss when the gateway drains', async () => {
    await start((_, response) => open(response, service!.requests.length === 1 ? record('drain', {}) : record('robots', robots)));
    stream.resume();
    await soon(() => events.length === 1);
    assert.deepEqual(statuses, ['live']);
  });
});
