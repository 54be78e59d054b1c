import assert from 'node:assert/strict';
import { until } from '@perch/testkit';

const progress = new URL('../../../scripts/progress.mjs', import.meta.url).href;

interface Progress {
  print(line: string): void;
  took(file: string): void;
  failed(title: string): void;
  end(): void;
}

describe('how far npm test is', () => {
  const opened = async (options: object): Promise<[Progress, string[]]> => {
    const { progressOf } = (await import(progress)) as { progressOf(files: number, options: object): Progress };
    const written: string[] = [];
    return [progressOf(3, { out: { write: (text: string) => written.push(text) }, ...options }), written];
  };

  it('replaces one line on a terminal, with the files done and the failures so far, names a failing test at once, and removes the line at the end', async () => {
    const [shown, written] = await opened({ isTerminal: true });
    shown.took('a.test.ts');
    shown.took('a.test.ts');
    shown.failed('keys are refused');
    shown.print('check: types: passed');
    shown.end();
    const line = '\r\u001b[K';
    assert.deepEqual(written, [
      `${line}tests: 1 of 3 files, no failure so far`,
      `${line}tests: 1 of 3 files, no failure so far`,
      `${line}failing: keys are refused\n`,
      `${line}tests: 1 of 3 files, 1 failure so far`,
      `${line}check: types: passed\n`,
      `${line}tests: 1 of 3 files, 1 failure so far`,
      line,
    ]);
  });

  it('prints a line now and then where there is no terminal', async () => {
    const [shown, written] = await opened({ isTerminal: false, repeatMs: 5 });
    shown.took('a.test.ts');
    await until(() => written.length > 0);
    shown.end();
    assert.equal(written[0], 'tests: 1 of 3 files, no failure so far\n');
  });
});
