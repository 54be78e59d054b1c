import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newestRelease, releaseOf, releaseTree, thisTree, treeAt } from '@perch/testkit';

describe('source trees of releases', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'perch-release-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const releases = (text: string): void => {
    mkdirSync(join(folder, 'deploy'));
    writeFileSync(join(folder, 'deploy/releases.json'), text);
  };

  it('returns the release with the greatest version, whatever the order in deploy/releases.json', () => {
    releases('{"0.10.0": "b", "0.9.0": "a", "0.9.1": "c"}');
    assert.deepEqual(newestRelease(folder), { version: '0.10.0', commit: 'b' });
  });

  it('returns the release with a version, and names the releases there are in the error for another version', () => {
    releases('{"0.10.0": "b", "0.9.0": "a"}');
    assert.deepEqual(releaseOf('0.9.0', folder), { version: '0.9.0', commit: 'a' });
    assert.throws(() => releaseOf('0.8.0', folder), /^Error: 0\.8\.0: .* names 0\.10\.0, 0\.9\.0$/);
  });

  it('throws if deploy/releases.json names no release', () => {
    releases('{}');
    assert.throws(() => newestRelease(folder), /names no release/);
  });

  it('returns the version of this clone, which differs from that of the last release', () => {
    assert.match(thisTree().version, /^\d+\.\d+\.\d+$/);
    assert.notEqual(thisTree().version, newestRelease().version);
  });

  it('refuses a folder that is not a tree of Perch or is not built, and names it', () => {
    assert.throws(() => treeAt(folder), new RegExp(`${folder}: no source tree of Perch`));
    writeFileSync(join(folder, 'package.json'), '{"name":"other","version":"1.0.0"}');
    assert.throws(() => treeAt(folder), /no source tree of Perch/);
    writeFileSync(join(folder, 'package.json'), '{"name":"perch","version":"1.0.0"}');
    assert.throws(() => treeAt(folder), /not built; run npm run build there/);
  });

  it('names release and commit in the error if the clone does not have the commit', async () => {
    const commit = '0123456789abcdef0123456789abcdef01234567';
    const build = releaseTree({ version: '0.0.1', commit }, () => undefined);
    await assert.rejects(build, new RegExp(`release 0\\.0\\.1 cannot be built: its commit ${commit} .*(?:git fetch|not a git clone)`));
  });
});
