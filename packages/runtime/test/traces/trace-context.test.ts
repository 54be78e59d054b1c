import assert from 'node:assert/strict';
import fc from 'fast-check';
import { carriedContext, parseTraceparent } from '../../src/index.js';
import { parseCarriedContext } from '../../src/traces/trace-context.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

describe('parseTraceparent', () => {
  it('reads the sampled flag of a traceparent header whatever its other flags are', () => {
    assert.deepEqual(parseTraceparent(`00-${traceId}-${spanId}-01`), { traceId, spanId, sampled: true });
    assert.deepEqual(parseTraceparent(`00-${traceId}-${spanId}-00`), { traceId, spanId, sampled: false });
    assert.deepEqual(parseTraceparent(`00-${traceId}-${spanId}-fe`), { traceId, spanId, sampled: false });
    assert.deepEqual(parseTraceparent(`00-${traceId}-${spanId}-03`), { traceId, spanId, sampled: true });
  });

  it('reads a header of a later version as version 00, with or without further fields', () => {
    assert.deepEqual(parseTraceparent(`cc-${traceId}-${spanId}-01`), { traceId, spanId, sampled: true });
    assert.deepEqual(parseTraceparent(`cc-${traceId}-${spanId}-01-what-the-future-will-be-like`), { traceId, spanId, sampled: true });
  });

  it('returns null for the headers that the standard requires to be ignored', () => {
    const wrong = [
      undefined,
      '',
      'nonsense',
      [`00-${traceId}-${spanId}-01`, `00-${traceId}-${spanId}-01`],
      // Two headers as joined by Node.
      `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
      `ff-${traceId}-${spanId}-01`,
      `00-${traceId}-${spanId}-01-more`,
      `cc-${traceId}-${spanId}-01.more`,
      `00-${'0'.repeat(32)}-${spanId}-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
      `00-${traceId.toUpperCase()}-${spanId}-01`,
      `00-${traceId}-${spanId.toUpperCase()}-01`,
      `00-${traceId.slice(1)}-${spanId}-01`,
      `00-${traceId}-${spanId}-1`,
      `00-${traceId}-${spanId}-0g`,
      `00_${traceId}_${spanId}_01`,
      `cc-${traceId}-${spanId}-01-${'x'.repeat(600)}`,
    ];
    for (const header of wrong) assert.equal(parseTraceparent(header), null, String(header));
  });

  it('never throws for any header text', () => {
    fc.assert(fc.property(fc.string({ maxLength: 700 }), (text) => parseTraceparent(text) === null || text.length >= 55));
  });
});

describe('the context in messages and jobs', () => {
  it('parses a carried context as it was written', () => {
    assert.deepEqual(parseCarriedContext(carriedContext({ traceId, spanId })), { traceId, spanId });
  });

  it('returns null for a carried context in any other form', () => {
    for (const wrong of [undefined, null, 7, {}, '', traceId, `${traceId}-${spanId}-01`, `${spanId}-${traceId}`, `${traceId}-${spanId}\n`])
      assert.equal(parseCarriedContext(wrong), null, JSON.stringify(wrong));
  });
});
