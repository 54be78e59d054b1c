import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const program = fileURLToPath(new URL('programs/growth-by-calls.ts', import.meta.url));

describe('Replies', () => {
  it('keeps nothing of an answered call, so that young objects are collected without a full garbage collection', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, program]);
    const grownMb = Number(stdout);
    assert.ok(grownMb < 12, `the old generation grew by ${grownMb} MB with 10,000 calls`);
  });
});
