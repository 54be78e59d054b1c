import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireWritable } from '../../src/report/output-files.js';

describe('output files of npm run load', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'perch-load-'));
    writeFileSync(join(folder, 'old.json'), '{}');
  });
  after(() => rmSync(folder, { recursive: true }));

  it('accepts new and existing files without creating them', () => {
    requireWritable('--json', null);
    requireWritable('--json', join(folder, 'new.json'));
    requireWritable('--json', join(folder, 'old.json'));
    assert.deepEqual(readdirSync(folder), ['old.json']);
  });

  it('rejects a missing folder or a path that is a folder, and names the option', () => {
    assert.throws(() => requireWritable('--json', join(folder, 'missing/run.json')), /^Error: --json .*run\.json: cannot be written \(ENOENT\)$/);
    assert.throws(() => requireWritable('--html', folder), /^Error: --html .*: is a folder$/);
    assert.throws(() => requireWritable('--html', join(folder, 'old.json/run.html')), /^Error: --html .*run\.html: /);
  });

  it('rejects an output file before anything starts', () => {
    const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [main, '--minutes', '0.01', '--html', join(folder, 'missing/run.html')], {
      encoding: 'utf8',
    });
    assert.deepEqual([status, stderr.split('\n').length], [2, 2], stderr);
    assert.match(stderr, /^load: --html .*: cannot be written \(ENOENT\)\n$/);
  });
});
