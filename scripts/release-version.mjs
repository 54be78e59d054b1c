/** Gives every manifest and every other place that names the release the version of the published packages. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { published } from './release-manifests.mjs';

/** @returns the version, and the files that changed. Changelogs that changesets wrote for packages that are not published are removed. */
export function setVersions(root) {
  const { version } = JSON.parse(readFileSync(join(root, published[0].folder, 'package.json'), 'utf8'));
  const folders = ['packages', 'services', 'tools'].flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`));
  const changed = [];
  for (const folder of ['.', 'examples', 'test-e2e', ...folders].filter((each) => existsSync(join(root, each, 'package.json')))) {
    replace(`${folder}/package.json`, /^( {2}"version": ")[^"]+/m);
    const changelog = join(root, folder, 'CHANGELOG.md');
    if (folder !== '.' && !published.some((one) => one.folder === folder) && existsSync(changelog)) rmSync(changelog);
  }
  replace('packages/schema/src/internal/release.ts', /^(export const release = ')[^']+/m);
  for (const name of ['version', 'appVersion']) replace('deploy/helm/perch/Chart.yaml', new RegExp(`^(${name}: ).+`, 'm'));
  replace('deploy/Dockerfile', /^(ARG VERSION=).+/m);
  replace('deploy/home-assistant/perch_mqtt_bridge/config.yaml', /^(version: ).+/m);
  replace('deploy/home-assistant/perch_mqtt_bridge/Dockerfile', /^(ARG PERCH_IMAGE=perch\/mqtt-bridge:).+/m);
  replace('plugins/perch/.claude-plugin/plugin.json', /^( {2}"version": ")[^"]+/m);
  replace('clients/python/pyproject.toml', /^(version = ")[^"]+/m);
  replace('packages/client/src/version.ts', /^(export const version = ')[^']+/m);
  replace('clients/python/src/perch_client/version.py', /^(version = ")[^"]+/m);
  return { version, changed };

  function replace(file, pattern) {
    const path = join(root, file);
    const before = readFileSync(path, 'utf8');
    const after = before.replace(pattern, `$1${version}`);
    if (after === before) return;
    writeFileSync(path, after);
    changed.push(file);
  }
}
