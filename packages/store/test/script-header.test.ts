import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { declaredKeys } from '../src/redis/script-header.js';
import { scriptKeys, scriptKeysFile } from './programs/script-keys.js';

describe('the header of a Lua script', () => {
  it('names the keys in order, also over two lines, and what is optional', () => {
    assert.deepEqual(
      declaredKeys(
        'x.lua',
        '-- Does it.\n-- KEYS 1 wait head, 2 list (list, newest last),\n--   3 call (optional)\n-- ARGV 1 name\nreturn KEYS[3]\n',
      ),
      {
        labels: ['wait head', 'list', 'call'],
        least: 2,
        most: 3,
      },
    );
  });

  it('accepts a header that ends with any number of further keys, or names no number', () => {
    assert.deepEqual(declaredKeys('x.lua', '-- KEYS 1 record, 2 and on: its other keys\nreturn KEYS[7]\n'), {
      labels: ['record'],
      least: 1,
      most: Infinity,
    });
    assert.deepEqual(declaredKeys('x.lua', '-- KEYS record of each call\nreturn #KEYS\n'), { labels: [], least: 0, most: Infinity });
  });

  it('ends the start of the process when it does not fit the script', () => {
    assert.throws(() => declaredKeys('a/x.lua', '-- KEYS 1 record\nreturn KEYS[2]\n'), /lua\/a\/x\.lua: uses KEYS\[2\], and its header declares 1/);
    assert.throws(() => declaredKeys('a/x.lua', '-- KEYS 1 record, 3 lease\n'), /lua\/a\/x\.lua: KEYS 3 of its header should be 2/);
    assert.throws(() => declaredKeys('a/x.lua', 'return 1\n'), /lua\/a\/x\.lua: its header declares no KEYS/);
  });

  it('gives the types of src/redis/script-keys.generated.ts (npx pnpm run -r generate writes it)', () => {
    assert.equal(readFileSync(scriptKeysFile, 'utf8'), scriptKeys());
  });
});
