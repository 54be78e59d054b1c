import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { allDocumentedSettings, newestRelease, settingPages, settingsOfPage, skipTest } from '@perch/testkit';

const clone = fileURLToPath(new URL('../../..', import.meta.url));

describe('the page about going back to the last release', () => {
  it('names all settings that the last release does not know, because that release refuses to start with them', function () {
    const page = readFileSync(`${clone}/docs/operate/upgrade.md`, 'utf8');
    const { version, commit } = newestRelease();
    const git = (...args: string[]) => spawnSync('git', args, { cwd: clone, encoding: 'utf8' });
    if (git('cat-file', '-e', `${commit}^{commit}`).status !== 0) skipTest(this, `git has no commit of ${version} here`);
    const known = new Set(settingPages.flatMap((path) => settingsOfPage(git('show', `${commit}:${path}`).stdout)).map(({ env }) => env));
    assert.ok(known.size > 50, `${version} documents ${known.size} settings`);
    const [, named = ''] = new RegExp(`^- Settings that ${version.replaceAll('.', '\\.')} does not know must be unset(.*)$`, 'm').exec(page) ?? [];
    assert.deepEqual(
      [...named.matchAll(/`(PERCH_\w+)`/g)].map(([, name]) => name!).toSorted(),
      allDocumentedSettings()
        .flatMap(({ env }) => (known.has(env) ? [] : [env]))
        .toSorted(),
    );
  });
});
