import assert from 'node:assert/strict';
import { sha256, sha256Short, sortedJson } from '../src/hash.js';

describe('hashes', () => {
  it('returns SHA-256 of texts and bytes in hex and in base64url', () => {
    // FIPS 180-2, appendix B.1.
    assert.equal(sha256('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    assert.equal(sha256(Buffer.from('abc')), sha256('abc'));
    assert.equal(sha256Short('abc'), Buffer.from(sha256('abc'), 'hex').toString('base64url'));
  });

  it('writes equal values as equal JSON, whatever the order of members', () => {
    const text = '{"a":[{"b":1,"c":null},2],"z":"y"}';
    assert.equal(sortedJson({ z: 'y', a: [{ c: null, b: 1 }, 2], left: undefined }), text);
    assert.equal(sortedJson(JSON.parse(text)), text);
  });
});
