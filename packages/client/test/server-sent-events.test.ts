import assert from 'node:assert/strict';
import fc from 'fast-check';
import { StreamParser, type StreamRecord } from '../src/server-sent-events.js';

const stream = [
  '\n:\n\nretry: 700\n\n',
  'event: gap\nid: 6\ndata: {"after":2,"next":7}\n\n',
  'id: 7\r\ndata: one\r\ndata:  two\r\n\r\n',
  'id: 8\n\n',
  'event: end\rdata\r\r',
  'id: 9\ndata: not ended\n',
].join('');

const records: StreamRecord[] = [
  { event: 'gap', data: '{"after":2,"next":7}', lastEventId: '6', retryMs: 700 },
  { event: 'message', data: 'one\n two', lastEventId: '7', retryMs: 700 },
  { event: 'end', data: '', lastEventId: '8', retryMs: 700 },
];

describe('server-sent events', () => {
  it('parses the same records, however the text is split into chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length)), (places) => {
        const parser = new StreamParser();
        const cuts = [0, ...places.toSorted((a, b) => a - b), stream.length];
        const read = cuts.slice(1).flatMap((cut, i) => parser.push(stream.slice(cuts[i], cut)));
        assert.deepEqual(read, records);
        assert.equal(parser.lastEventId, '8');
      }),
    );
  });

  it('rejects a record that is too long', () => {
    const parser = new StreamParser();
    const much = `data: ${'x'.repeat(100_000)}\n`;
    assert.throws(() => {
      for (let i = 0; i < 20; i++) parser.push(much);
    }, RangeError);
  });
});
