/** The core also runs in browsers: none of its modules may depend on Node. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../src/', import.meta.url));

function modulesOf(file: string, seen = new Map<string, string>()): Map<string, string> {
  if (seen.has(file)) return seen;
  const text = readFileSync(file, 'utf8');
  seen.set(file, text);
  for (const [, from] of text.matchAll(/from '([^']+)'/g)) {
    if (from?.startsWith('.')) modulesOf(join(dirname(file), from.replace(/\.js$/, '.ts')), seen);
  }
  return seen;
}

describe('the portable core', () => {
  for (const entry of ['robot-core.ts', 'input/person.ts', 'connection/pairing.ts', 'browser.ts']) {
    it(`imports no package and uses no global of Node in ${entry}`, () => {
      const files = modulesOf(join(source, entry));
      for (const [file, text] of files) {
        for (const [, from] of text.matchAll(/from '([^']+)'/g)) assert.ok(from?.startsWith('.'), `${file} imports ${from}`);
        const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
        assert.doesNotMatch(code, /\b(?:Buffer|process|require|setImmediate|NodeJS)\b/, file);
      }
      assert.ok(files.size >= 2);
    });
  }
});
