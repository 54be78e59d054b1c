import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const batchList = new URL('../../../scripts/batch-list.mjs', import.meta.url).href;

describe('the list of batches of npm test', () => {
  it('puts every test file of the clone into exactly one batch, long tests into their own', async () => {
    const { batchesOf, testFiles } = (await import(batchList)) as {
      batchesOf(root: string, files: string[]): string[][];
      testFiles(root: string, kind: 'short' | 'long'): string[];
    };
    const tests = (folder: string): string[] =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.test.ts') && !/node_modules|(?:^|\/)\./.test(path))
        .map((path) => `${folder}/${path}`);
    const folders = ['packages', 'services', 'tools'].flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}/test`));
    // Not test-e2e as a whole: below its node_modules are 140,000 files.
    const endToEnd = readdirSync(join(root, 'test-e2e'), { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && entry.name !== 'node_modules',
    );
    const files = [...folders.filter((folder) => existsSync(join(root, folder))), ...endToEnd.map(({ name }) => `test-e2e/${name}`)].flatMap(tests);
    const [short, long] = (['short', 'long'] as const).map((kind) => batchesOf(root, testFiles(root, kind)).flat()) as [string[], string[]];
    assert.deepEqual([...short, ...long].toSorted(), files.toSorted());
    assert.deepEqual(long.toSorted(), files.filter((name) => name.endsWith('.long.test.ts')).toSorted());
  });
});
