import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const tree = fileURLToPath(new URL('../../../scripts/tree.mjs', import.meta.url));

/** Runs the check on a repository of these files (path -> number of lines). */
function check(files: Record<string, number>): { output: string; passed: boolean } {
  const repository = mkdtempSync(join(tmpdir(), 'perch-tree-'));
  try {
    for (const [path, lines] of Object.entries(files)) {
      mkdirSync(dirname(join(repository, path)), { recursive: true });
      writeFileSync(join(repository, path), 'export {};\n'.repeat(lines));
    }
    const { stdout, status } = spawnSync(process.execPath, [tree, repository], { encoding: 'utf8' });
    return { output: stdout, passed: status === 0 };
  } finally {
    rmSync(repository, { recursive: true, force: true });
  }
}

describe('scripts/tree.mjs', () => {
  const folderOf = (count: number): Record<string, number> =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`services/a/src/f${i}.ts`, 1]));

  it('accepts files of 280 lines, longer generated files, and folders of 20 files', () => {
    assert.deepEqual(check({ ...folderOf(20), 'packages/b/src/c/long.ts': 280, 'packages/b/src/c/types.generated.ts': 900 }), {
      output: 'tree: 22 source files, 0 problems\n',
      passed: true,
    });
  });

  it('reports a file of more than 280 lines', () => {
    const { output, passed } = check({ 'packages/b/src/c/long.ts': 281 });
    assert.match(output, /^tree: packages\/b\/src\/c\/long\.ts: 281 lines, at most 280$/m);
    assert.equal(passed, false);
  });

  it('reports a folder of more than 20 files', () => {
    const { output, passed } = check(folderOf(21));
    assert.match(output, /^tree: services\/a\/src: 21 code files, at most 20$/m);
    assert.equal(passed, false);
  });

  it('reports a file of a robot program that has more than 400 lines', () => {
    assert.equal(check({ 'robots/b/long.py': 400 }).passed, true);
    assert.match(check({ 'robots/b/c/long.py': 401 }).output, /^tree: robots\/b\/c\/long\.py: 401 lines, at most 400$/m);
  });

  it('fails when it has found no source files', () => {
    assert.equal(check({ 'docs/a.ts': 1 }).passed, false);
  });
});
