import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

interface FilesBelow {
  filesBelow(folders: string[], enters?: (path: string) => boolean): string[];
}

describe('filesBelow', () => {
  let root: string;
  let filesBelow: FilesBelow['filesBelow'];
  before(async () => {
    ({ filesBelow } = (await import(new URL('../../../scripts/files-below.mjs', import.meta.url).href)) as FilesBelow);
    root = mkdtempSync(join(tmpdir(), 'perch-files-'));
    mkdirSync(join(root, 'a/b'), { recursive: true });
    for (const file of ['a/one.map', 'a/b/two.js']) writeFileSync(join(root, file), '');
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it('returns each file once where links lead to a folder above, to a file and to nothing, as in node_modules of pnpm', () => {
    symlinkSync('..', join(root, 'a/b/up'));
    symlinkSync('one.map', join(root, 'a/link.map'));
    symlinkSync('nothing', join(root, 'a/nowhere'));
    const files = filesBelow([root]).map((path) => relative(root, path));
    assert.deepEqual(files.toSorted(), [join('a', 'b', 'two.js'), join('a', 'one.map')]);
  });

  it('skips the folders that the caller does not enter', () => {
    const files = filesBelow([root], (path) => !path.endsWith('b')).map((path) => relative(root, path));
    assert.deepEqual(files, [join('a', 'one.map')]);
  });
});
