/** The core is to run in a page too: nothing it is made of may need Node. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../src/', import.meta.url));

function reach(file: string, seen = new Map<string, string>()): Map<string, string> {
  if (seen.has(file)) return seen;
  const text = readFileSync(file, 'utf8');
  seen.set(file, text);
  for (const [, from] of text.matchAll(/from '([^']+)'/g)) {
    if (from?.startsWith('.')) reach(join(dirname(file), from.replace(/\.js$/, '.ts')), seen);
  }
  return seen;
}

describe('the portable core', () => {
  for (const entry of ['robot-core.ts', 'person.ts', 'pairing.ts', 'browser.ts']) {
    it(`of ${entry} reaches no package and no global of Node's`, () => {
      const files = reach(join(source, entry));
      for (const [file, text] of files) {
        for (const [, from] of text.matchAll(/from '([^']+)'/g)) assert.ok(from?.startsWith('.'), `${file} imports ${from}`);
        const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
        assert.doesNotMatch(code, /\b(?:Buffer|process|require|setImmediate|NodeJS)\b/, file);
      }
      assert.ok(files.size >= 2);
    });
  }
});
