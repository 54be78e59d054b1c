import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { checks } from '../src/index.js';

describe('the sentences of the conformance run', () => {
  const document = readFileSync(new URL('../../../docs/robot-link.md', import.meta.url), 'utf8');
  const [, ...parts] = document.split(/^## /m);
  const sections = new Map(parts.map((text) => [text.slice(0, text.indexOf('\n')), text]));

  for (const { section, check, sentence } of checks)
    it(`the document has the sentence by which "${check}" is graded, in the section "${section}"`, () => {
      assert.ok(sections.get(section)?.includes(sentence), sentence);
    });
});
