import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { skipTest } from '@perch/testkit';
import { BodyBytes } from '../src/http/body-bytes.js';

const mb = 1024 * 1024;

describe('BodyBytes', () => {
  it('contains what was appended, whatever the size of body and chunks, and rejects one byte more than allowed', () => {
    for (const size of [1, 65_536, 65_537, 300_000, 2 * mb]) {
      for (const piece of [997, 65_536, 2 * mb]) {
        const sent = Buffer.alloc(size, 'perch');
        const bytes = new BodyBytes(size);
        for (let at = 0; at < size; at += piece) assert.equal(bytes.append(sent.subarray(at, at + piece)), true);
        assert.ok(bytes.received.equals(sent), `${size} in pieces of ${piece}`);
        assert.equal(bytes.append(Buffer.from('x')), false);
        assert.equal(bytes.received.length, size);
        bytes.free();
      }
    }
  });

  it('returns its memory when freed, without a garbage collection', function () {
    if (process.platform !== 'linux') skipTest(this, 'reads the memory of a process from /proc');
    const rss = (): number => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]) * 1024;
    const sent = Buffer.alloc(2 * mb - 1000, 'x');
    const before = rss();
    const bodies = Array.from({ length: 64 }, () => {
      const bytes = new BodyBytes(2 * mb);
      bytes.append(sent);
      return bytes;
    });
    assert.ok(rss() > before + 100 * mb);
    for (const bytes of bodies) bytes.free();
    assert.ok(rss() < before + 20 * mb);
  });
});
