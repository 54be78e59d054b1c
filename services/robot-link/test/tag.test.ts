import assert from 'node:assert/strict';
import { graphemes } from '@perch/screen';
import { eventBytesMax } from '@perch/store';
import { ndefText, ndefUri } from '@perch/virtual-robot';
import fc from 'fast-check';
import { tagData } from '../src/input/tag.js';

const tag = (ndef: Uint8Array, type = 'NTAG216'): Record<string, unknown> =>
  tagData({ t: 'in', seq: 1, ms: 1, kind: 'nfc_in', uid: '04a1b2c3d4e5f6', type, ndef_b64: Buffer.from(ndef).toString('base64') });

describe('text of a tag', () => {
  it('keeps the text of a tag completely up to the capacity of the largest NTAG sticker', () => {
    const link = `https://example.org/${'a'.repeat(840)}`;
    assert.equal(tag(ndefUri(link)).text, link);
  });

  it('cuts the text of a tag between grapheme clusters to the size limit of an event, and names the cut', () => {
    const long = fc
      .array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 }), { minLength: 1, maxLength: 60 })
      .map((parts) => `x${parts.join('')}`);
    const type = fc.string({ unit: 'binary', maxLength: 64 });
    fc.assert(
      fc.property(long, type, (text, of) => {
        const data = tag(ndefText(text), of);
        const kept = data.text as string;
        assert.ok(Buffer.byteLength(JSON.stringify(data)) <= eventBytesMax);
        const clusters = graphemes(text);
        const keptClusters = graphemes(kept).length;
        assert.equal(kept, clusters.slice(0, keptClusters).join(''));
        const next = clusters[keptClusters];
        assert.deepEqual(data.truncated, next === undefined ? undefined : ['text']);
        if (next !== undefined)
          assert.ok(Buffer.byteLength(JSON.stringify({ ...data, text: kept + next })) > eventBytesMax, 'the text was cut too early');
      }),
    );
  });

  it('omits the text if a tag has none', () => {
    assert.deepEqual(tag(Buffer.from('junk')), { uid: '04a1b2c3d4e5f6', type: 'NTAG216' });
  });
});
