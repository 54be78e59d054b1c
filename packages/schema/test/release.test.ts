import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { interfaceVersion, release } from '../src/index.js';

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const manifests = ['package.json', 'examples/package.json', 'test-e2e/package.json', ...listed('packages'), ...listed('services')];

function listed(folder: string): string[] {
  const paths = readdirSync(new URL(folder, root)).map((name) => `${folder}/${name}/package.json`);
  return paths.filter((path) => existsSync(new URL(path, root)));
}

describe('releases', () => {
  it('has the same release in every package.json, in the Python client and in the code', () => {
    for (const path of manifests) assert.equal((JSON.parse(read(path)) as { version: string }).version, release, path);
    assert.match(read('clients/python/pyproject.toml'), new RegExp(`^version = "${release}"$`, 'm'));
    assert.ok(read('packages/client/src/version.ts').includes(`version = '${release}'`));
    assert.ok(read('clients/python/src/perch_client/version.py').includes(`version = "${release}"`));
  });

  it('keeps the version of the interface apart from the release', () => {
    assert.equal(interfaceVersion, 'v0.9.0');
  });

  it('lists in deploy/releases.json the releases that this one runs beside, with their full commits, and not the current release', () => {
    const releases = JSON.parse(read('deploy/releases.json')) as Record<string, string>;
    assert.deepEqual(releases, {
      '0.10.0': 'e001a17d9130d9c8000f71e120714e2b039daf18',
      '0.10.1': '3aaa606fbc9147f773605519095a3fe40c542fc9',
    });
    assert.equal(release in releases, false);
  });
});
