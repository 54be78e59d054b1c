import assert from 'node:assert/strict';
import type { RobotEvent } from '@perch/schema';
import { draining } from '../src/calls/failures.js';
import type { CoveringPage } from '../src/events/events-feed.js';
import { EventStream, type EventStreamOptions } from '../src/events/event-streams.js';
import { SlowClient } from './slow-client.js';

const event = (seq: number, name: RobotEvent['name'] = 'tap', data = {}): RobotEvent => ({ seq, name, data, at: '2026-01-01T12:00:00.000Z' });
const page = (events: RobotEvent[], lastSeq = events.at(-1)?.seq ?? 0, firstSeq: number | null = 1): CoveringPage => ({
  events,
  lastSeq,
  firstSeq,
  jumpedTo: null,
  covers: lastSeq,
});

describe('EventStream', () => {
  const ended: string[] = [];
  let woken = 0;
  let client: SlowClient;
  beforeEach(() => {
    ended.length = 0;
    woken = 0;
    client = new SlowClient();
  });

  const streamOf = (options: Partial<EventStreamOptions> = {}): EventStream =>
    new EventStream({
      after: 0,
      names: null,
      requestId: 'q-1',
      wake: () => (woken += 1),
      checkRemoved: () => {},
      ended: (why) => ended.push(why),
      ...options,
    });
  const later = (ms: number): number => performance.now() + ms;
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('sends each event once, whatever pages it is offered', () => {
    const stream = streamOf();
    stream.begin(client, page([event(1), event(2)]));
    stream.offer(page([event(1), event(2), event(3)]));
    stream.offer(page([event(2)], 2));
    stream.offer(page([event(3), event(4)]));
    assert.deepEqual(
      [...client.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id),
      ['1', '2', '3', '4'],
    );
    assert.equal(stream.position, 4);
  });

  it('sends a comment every 15 s, with the number read so far if `names` excluded events', () => {
    const stream = streamOf({ names: new Set(['pat']) });
    stream.begin(client, page([event(1, 'pat'), event(2), event(3)]));
    client.text = '';
    stream.tick(later(14_000));
    assert.equal(client.text, '');
    stream.tick(later(15_001));
    assert.equal(client.text, ':\n\nid: 3\n\n');
    stream.tick(later(16_000));
    stream.tick(later(30_002));
    assert.equal(client.text, ':\n\nid: 3\n\n:\n\n');
  });

  it('sends numbers that are not kept as a gap, whose id is where the client continues', () => {
    const stream = streamOf({ after: 5 });
    stream.begin(client, page([event(9), event(10)], 10, 9));
    stream.offer(page([event(2000)]));
    const gaps = [...client.text.matchAll(/event: gap\nid: (\d+)\ndata: (.*)\n\nid: (\d+)/g)].map(([, id, data, next]) => [
      id,
      JSON.parse(data!),
      next,
    ]);
    assert.deepEqual(gaps, [
      ['8', { after: 5, next: 9 }, '9'],
      ['1999', { after: 10, next: 2000 }, '2000'],
    ]);
  });

  it('begins after the highest number without a gap record and sends only higher numbers', () => {
    const stream = streamOf({ after: 900 });
    stream.begin(client, page([], 3));
    stream.offer(page([event(4), event(5)], 5));
    assert.doesNotMatch(client.text, /event: gap|^id: \d/m);
    stream.offer(page([event(901)], 901));
    assert.match(client.text, /(?<!event: gap\n)id: 901\n/);
    assert.doesNotMatch(client.text, /event: gap/);
  });

  it('sends nothing twice on an open stream when Redis was restored from an older copy, and sends the jump as a gap', () => {
    const stream = streamOf();
    stream.begin(client, page([event(1), event(2), event(3)]));
    client.text = '';
    stream.offer(page([event(1), event(2)]));
    assert.equal(client.text, '');
    stream.offer(page([event(500)], 500));
    assert.match(client.text, /^event: gap\nid: 499\ndata: \{"after":3,"next":500\}\n\nid: 500\n/);
  });

  it('sends at most one chunk to a client that does not read, and continues from there', async () => {
    const stream = streamOf();
    const all = page(Array.from({ length: 1000 }, (_, i) => event(i + 1, 'tag', { text: 'x'.repeat(900) })));
    client.stopReading();
    stream.begin(client, all);
    assert.equal(stream.position, null, 'it takes nothing');
    stream.offer(all);
    assert.ok(client.writableLength < 40_000, `${client.writableLength} bytes held`);
    client.readOn();
    await turn();
    assert.ok(woken > 0);
    for (let pages = 1; stream.position !== 1000; pages++) {
      assert.ok(pages < 100);
      stream.offer(all);
      await turn();
    }
    const ids = [...client.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    assert.deepEqual(
      ids,
      all.events.map(({ seq }) => seq),
    );
  });

  it('disconnects a client that has read nothing for 10 s', () => {
    const stream = streamOf();
    client.stopReading();
    stream.begin(client, page(Array.from({ length: 100 }, (_, i) => event(i + 1, 'tag', { text: 'x'.repeat(900) }))));
    stream.tick(later(9_000));
    assert.deepEqual([ended, client.destroyed], [[], false]);
    stream.tick(later(10_001));
    assert.deepEqual([ended, client.destroyed], [['too_slow'], true]);
    assert.equal(stream.position, null);
  });

  it('sends the reason of the end once in the last event, and disconnects a client that does not read it within 2 s', () => {
    const stream = streamOf();
    stream.begin(client, page([event(1)]));
    client.stopReading();
    stream.end(draining());
    stream.end(draining());
    stream.hungUp();
    assert.deepEqual(ended, ['draining']);
    stream.tick(later(1_000));
    assert.equal(client.destroyed, false);
    stream.tick(later(2_001));
    assert.equal(client.destroyed, true);
  });

  it('ends a stream at once if its client does not read', () => {
    const stream = streamOf();
    client.stopReading();
    stream.begin(client, page(Array.from({ length: 100 }, (_, i) => event(i + 1, 'tag', { text: 'x'.repeat(900) }))));
    stream.end(draining());
    assert.deepEqual([ended, client.destroyed], [['draining'], true]);
  });
});
