import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { problemOf, workedExamples } from './worked-examples.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('the worked examples of CONTRIBUTING.md', () => {
  it('work out an argument, an event and a setting, with diffs that fit the sources', () => {
    const examples = workedExamples(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'));
    assert.deepEqual(
      examples.map(({ title }) => title),
      ['Add an argument', 'Add an event', 'Add a setting'],
    );
    const problems = examples.flatMap(({ changes }) => changes.map((change) => problemOf(root, change)).filter((problem) => problem !== null));
    assert.deepEqual(problems, []);
  });
});
