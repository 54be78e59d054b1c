import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newestRelease, releaseTree, thisTree, treeAt } from '@perch/testkit';

describe('source trees of releases', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'perch-release-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const releases = (text: string): void => {
    mkdirSync(join(folder, 'deploy'));
    writeFileSync(join(folder, 'deploy/releases.json'), text);
  };

  it('take as the newest release the greatest version, whatever the order in deploy/releases.json', () => {
    releases('{"0.10.0": "b", "0.9.0": "a", "0.9.1": "c"}');
    assert.deepEqual(newestRelease(folder), { version: '0.10.0', commit: 'b' });
  });

  it('cannot be chosen from a deploy/releases.json that names none', () => {
    releases('{}');
    assert.throws(() => newestRelease(folder), /names no release/);
  });

  it('know the version of this clone, which is not that of the last release', () => {
    assert.match(thisTree().version, /^\d+\.\d+\.\d+$/);
    assert.notEqual(thisTree().version, newestRelease().version);
  });

  it('are refused with the folder named if they are no tree of Perch or are not built', () => {
    assert.throws(() => treeAt(folder), new RegExp(`${folder}: no source tree of Perch`));
    writeFileSync(join(folder, 'package.json'), '{"name":"other","version":"1.0.0"}');
    assert.throws(() => treeAt(folder), /no source tree of Perch/);
    writeFileSync(join(folder, 'package.json'), '{"name":"perch","version":"1.0.0"}');
    assert.throws(() => treeAt(folder), /not built; run npm run build there/);
  });

  it('cannot be built from a commit that the clone does not have, and the error names release and commit', async () => {
    const commit = '0123456789abcdef0123456789abcdef01234567';
    const build = releaseTree({ version: '0.0.1', commit }, () => undefined);
    await assert.rejects(build, new RegExp(`release 0\\.0\\.1 cannot be built: its commit ${commit} .*(?:git fetch|not a git clone)`));
  });
});
