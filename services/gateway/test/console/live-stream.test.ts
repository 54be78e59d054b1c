import assert from 'node:assert/strict';
import { ApiError, type RobotEvent } from '@perch/schema';
import { LiveStream } from '../../src/console/live.js';
import { draining } from '../../src/calls/failures.js';
import { sseRecord } from '../../src/http/sse.js';
import type { CoveringPage } from '../../src/events/events-feed.js';
import { SlowClient } from '../slow-client.js';

const event = (seq: number): RobotEvent => ({ seq, name: 'tap', data: { x: seq, y: 0 }, at: '2026-01-01T12:00:00.000Z' });
const page = (seqs: number[], lastSeq = seqs.at(-1) ?? 0, jumpedTo: number | null = null): CoveringPage => ({
  events: seqs.map(event),
  lastSeq,
  firstSeq: seqs[0] ?? null,
  jumpedTo,
  covers: lastSeq,
});
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a page's live stream", () => {
  const ended: string[] = [];
  let woken = 0;
  let client: SlowClient;
  beforeEach(() => {
    ended.length = 0;
    woken = 0;
    client = new SlowClient();
  });

  const streamOf = (after: number | null = 0): LiveStream => new LiveStream({ after, wake: () => (woken += 1), ended: (why) => ended.push(why) });
  const snapshot = (n: number): string => sseRecord({ event: 'twin', data: { n, pad: 'x'.repeat(2000) } });
  const sent = (): number[] => [...client.text.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n));
  const ids = (): number[] => [...client.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

  it('sends a record that was set before the stream began', () => {
    const stream = streamOf();
    stream.send('twin', snapshot(1));
    assert.equal(stream.position, null);
    stream.begin(client);
    assert.deepEqual([sent(), stream.position, woken], [[1], 0, 1]);
    assert.match(client.text, /^retry: \d+\n\n/);
  });

  it('sends a slow page only the newest snapshot, but every event', async () => {
    const stream = streamOf();
    stream.begin(client);
    client.stopReading();
    stream.send('twin', snapshot(1));
    for (let n = 2; n <= 50; n += 1) stream.send('twin', snapshot(n));
    assert.equal(stream.position, null);
    stream.offer(page([1, 2]));
    client.readOn();
    await tick();
    await tick();
    assert.deepEqual(sent(), [1, 50]);
    assert.deepEqual([stream.position, ids()], [0, []]);
    stream.offer(page([1, 2, 3]));
    assert.deepEqual(ids(), [1, 2, 3]);
  });

  it('sends each event once, and a gap record for missing ones', () => {
    const stream = streamOf(4);
    stream.begin(client);
    stream.offer(page([5, 6]));
    stream.offer(page([5, 6, 7]));
    stream.offer(page([10, 11]));
    assert.deepEqual(ids(), [5, 6, 7, 9, 10, 11]);
    assert.match(client.text, /event: gap\nid: 9\ndata: {"after":7,"oldest":10,"dropped":true}\n/);
  });

  it('marks a gap as not dropped if the numbering jumped after Redis lost events', () => {
    const stream = streamOf(4);
    stream.begin(client);
    stream.offer(page([5, 3001], 3001, 3001));
    assert.match(client.text, /event: gap\nid: 3000\ndata: {"after":5,"oldest":3001,"dropped":false}\n/);
  });

  it('reads no events if the page watches no robot', () => {
    const stream = streamOf(null);
    stream.begin(client);
    stream.offer(page([1]));
    assert.deepEqual([stream.position, ids(), woken], [null, [], 0]);
  });

  it('sends the reason once when its session or the instance ends', () => {
    const [stream, other] = [streamOf(), streamOf()];
    stream.begin(client);
    stream.end(new ApiError('unauthorized', 'x'));
    stream.end(draining());
    assert.match(client.text, /event: end\ndata: {"ok":false,"code":"signed_out",.*}\n\n$/);
    const second = new SlowClient();
    other.begin(second);
    other.end(draining());
    other.send('twin', snapshot(1));
    assert.match(second.text, /event: drain\ndata: {}\n\n$/);
    assert.deepEqual(ended, ['unauthorized', 'draining']);
  });

  it('closes the connection when the page has read nothing for 10 s', () => {
    const stream = streamOf();
    stream.begin(client);
    client.stopReading();
    stream.send('twin', snapshot(1));
    stream.tick(performance.now() + 9_000);
    assert.equal(client.destroyed, false);
    stream.tick(performance.now() + 10_500);
    assert.deepEqual([client.destroyed, ended], [true, ['too_slow']]);
  });

  it('sends a comment every 15 s to keep proxies from closing the connection', () => {
    const stream = streamOf();
    stream.begin(client);
    stream.tick(performance.now() + 15_500);
    assert.match(client.text, /\n:\n\n$/);
  });
});
