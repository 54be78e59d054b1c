import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireWritable } from '../../src/report/output-files.js';

describe('the files that a load run writes', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'perch-load-'));
    writeFileSync(join(folder, 'old.json'), '{}');
  });
  after(() => rmSync(folder, { recursive: true }));

  it('may be new or exist, and are not created by the check', () => {
    requireWritable('--json', null);
    requireWritable('--json', join(folder, 'new.json'));
    requireWritable('--json', join(folder, 'old.json'));
    assert.deepEqual(readdirSync(folder), ['old.json']);
  });

  it('are refused by name if the folder is missing, or the path is a folder', () => {
    assert.throws(() => requireWritable('--json', join(folder, 'missing/run.json')), /^Error: --json .*run\.json: cannot be written \(ENOENT\)$/);
    assert.throws(() => requireWritable('--html', folder), /^Error: --html .*: is a folder$/);
    assert.throws(() => requireWritable('--html', join(folder, 'old.json/run.html')), /^Error: --html .*run\.html: /);
  });

  it('are refused before anything starts', function () {
    this.timeout(30_000);
    const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [main, '--minutes', '0.01', '--html', join(folder, 'missing/run.html')], {
      encoding: 'utf8',
    });
    assert.deepEqual([status, stderr.split('\n').length], [2, 2], stderr);
    assert.match(stderr, /^load: --html .*: cannot be written \(ENOENT\)\n$/);
  });
});
