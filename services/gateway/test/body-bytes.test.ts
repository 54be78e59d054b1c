import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { skipTest } from '@perch/testkit';
import { BodyBytes } from '../src/http/json-body.js';

const mb = 1024 * 1024;
/** A process of its own: other tests take and return memory meanwhile. */
const program = fileURLToPath(new URL('programs/body-memory.ts', import.meta.url));

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

  it('returns its memory when freed, without a garbage collection', async function () {
    if (process.platform !== 'linux') skipTest(this, 'reads the memory of a process from /proc');
    const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, program]);
    const [takenMb, returnedMb] = stdout.split(' ').map(Number);
    assert.ok(takenMb! > 100 && returnedMb! > 100, `${takenMb} MB taken, ${returnedMb} MB returned`);
  });
});
