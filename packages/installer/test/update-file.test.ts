import { newestRelease, skipTest } from '@perch/testkit';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { shippedProgram } from '../src/node/program-folder.js';
import { updateFile } from '../src/node/index.js';

const clone = fileURLToPath(new URL('../../..', import.meta.url));

describe('the file of an update', () => {
  it('lists paths and sizes in its first line, with the SHA-256 of the files that start the program, and has those of the program after it, one after the other', () => {
    const { bytes, sha256, version } = updateFile();
    assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256);
    const end = bytes.indexOf('\n') + 1;
    const { files, start } = JSON.parse(bytes.subarray(0, end).toString()) as {
      files: [path: string, size: number][];
      start: Record<string, string>;
    };
    let at = end;
    for (const [path, size] of files) {
      assert.match(path, /^perch\/.+\.py$/);
      assert.deepEqual(bytes.subarray(at, at + size), readFileSync(`${shippedProgram}/${path}`), path);
      at += size;
    }
    assert.equal(at, bytes.byteLength);
    assert.deepEqual(Object.keys(start), ['boot.py', 'main.py']);
    for (const [path, digest] of Object.entries(start))
      assert.equal(
        digest,
        createHash('sha256')
          .update(readFileSync(`${shippedProgram}/${path}`))
          .digest('hex'),
        path,
      );
    assert.ok(files.some(([path]) => path === 'perch/boards/stackchan.py'));
    assert.match(version, /^\d+\.\d+/);
  });

  it('has the same bytes each time, and other ones for another program', () => {
    assert.deepEqual(updateFile(), updateFile());
    const changed = updateFile(shippedProgram, (path, text) =>
      path === 'perch/robot.py' ? text.replace(/^VERSION = .*$/m, 'VERSION = "9.9"') : text,
    );
    assert.equal(changed.version, '9.9');
    assert.notEqual(changed.sha256, updateFile().sha256);
  });

  it('has another version than the last release if the program differs from that of the last release', function () {
    const { version: release, commit } = newestRelease();
    const git = (...args: string[]) => spawnSync('git', args, { cwd: clone, encoding: 'utf8' });
    const before = git('show', `${commit}:robots/micropython/perch/robot.py`);
    if (before.status !== 0) skipTest(this, `git has no robot program of ${release} here`);
    const version = /^VERSION = "(.+)"$/m.exec(before.stdout)?.[1];
    if (git('diff', '--quiet', commit, '--', 'robots/micropython/perch').status === 0) return;
    assert.notEqual(updateFile().version, version);
  });
});
