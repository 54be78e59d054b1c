import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { declaredKeys } from '../src/redis/scripts.js';
import { declaredOutput, matches, typeOf } from './programs/script-output.js';
import { scriptTypes, scriptTypesFile } from './programs/script-types.js';

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

  const output = (text: string) => declaredOutput('a/x.lua', `-- Does it.\n-- Output ${text}\n-- Why a script: one step.\n`);

  it('declares an output whose type call sites get', () => {
    const types = {
      '1 set | 0 not set, or gone (a | b)': '1 | 0',
      'number bytes, all of them | 0 none': 'number',
      "'added' | 'full <maximum>' the account's maximum\n--   is reached": "'added' | `full ${string}`",
      "{} unknown | {'ok' | 'late', text id or '', 1 | 0 whether it is on} as it is now": "[] | ['ok' | 'late', string, 1 | 0]",
      "['open' new, or open already | 'known'] for each": "('open' | 'known')[]",
      '{text last, [{text id, [text field or value]}] entries (oldest first)}': '[string, [string, string[]][]]',
      nothing: 'null',
    };
    for (const [text, type] of Object.entries(types)) assert.equal(typeOf(output(text)), type, text);
  });

  it('refuses an output outside of the grammar', () => {
    assert.throws(() => output('the number of it'), /lua\/a\/x\.lua: the Output of its header cannot be read from here: the number of it/);
    assert.throws(() => output('{text id'), /cannot be read from here: $/);
    assert.throws(() => output('[text] each]'), /cannot be read from here: \]/);
    assert.throws(() => declaredOutput('a/x.lua', '-- KEYS 1 record\nreturn 1\n'), /lua\/a\/x\.lua: its header declares no Output/);
  });

  it('declares an output that distinguishes replies by value, number of elements and kind', () => {
    const reply = output("{'ok', number at} | {'busy'} | [number] | 'full <maximum>'");
    for (const fits of [['ok', 5], ['busy'], [], [1, 2], 'full 3']) assert.ok(matches(reply, fits), JSON.stringify(fits));
    for (const other of [['ok', '5'], ['ok'], ['busy', 1], ['lost'], [null], 'full ', 'none', 1, null])
      assert.ok(!matches(reply, other), JSON.stringify(other));
  });

  it('gives the types of src/redis/script-types.generated.ts (npx pnpm run -r generate writes it)', () => {
    assert.equal(readFileSync(scriptTypesFile, 'utf8'), scriptTypes());
  });
});
