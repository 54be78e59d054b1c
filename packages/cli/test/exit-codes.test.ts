import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { exitCodes } from '../src/exit-codes.js';

describe('the exit codes', () => {
  it('matches the list in docs/shell.md', () => {
    const page = readFileSync(new URL('../../../docs/shell.md', import.meta.url), 'utf8');
    const shown = [...page.matchAll(/^\| (\d+) \| ([^|]+) \|$/gm)].map(([, code, meaning]) => ({ code: Number(code), meaning: meaning! }));
    assert.deepEqual(shown, Object.values(exitCodes));
  });
});
