import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

const skipLine = new URL('../../../scripts/skip-line.mjs', import.meta.url).href;

describe('the summary of skipped and left out tests in npm test', () => {
  const lineOf = (skips: object[]): string[] => {
    const script = `import { skipLine } from '${skipLine}'; process.stdout.write(JSON.stringify(skipLine(${JSON.stringify(skips)})));`;
    return JSON.parse(spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout);
  };

  it('lists each reason once with its count in one line, the most frequent first', () => {
    const skips = [
      { reason: 'no browser', count: 1 },
      { reason: 'no\nserver', count: 2 },
      { reason: 'no\nserver', count: 40 },
    ];
    assert.deepEqual(lineOf(skips), ['skipped: 43 tests (42: no server; 1: no browser)']);
    assert.deepEqual(lineOf([]), []);
  });

  it('counts the files of long tests that did not run in a line, and prints none if all ran', () => {
    const lineOfFiles = (files: string[]): string[] => {
      const script = `import { leftOutLine } from '${skipLine}'; process.stdout.write(JSON.stringify(leftOutLine(${JSON.stringify(files)})));`;
      return JSON.parse(spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout);
    };
    assert.deepEqual(lineOfFiles(['a.long.test.ts', 'b.long.test.ts']), ['left out: 2 files of long tests (npm test -- --long runs them)']);
    assert.deepEqual(lineOfFiles([]), []);
  });
});
