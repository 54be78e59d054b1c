import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newestRelease, skipTest } from '@perch/testkit';

const clone = fileURLToPath(new URL('../../..', import.meta.url));

function settingsOf(page: string): string[] {
  return [...page.matchAll(/^\| `(PERCH_\w+)` \| /gm)].map(([, name]) => name!);
}

describe('the page about going back to the last release', () => {
  it('names all settings that the last release does not know, because that release refuses to start with them', function () {
    const page = readFileSync(`${clone}/docs/operate.md`, 'utf8');
    const { version, commit } = newestRelease();
    const { status, stdout } = spawnSync('git', ['show', `${commit}:docs/operate.md`], { cwd: clone, encoding: 'utf8' });
    if (status !== 0) skipTest(this, `git has no commit of ${version} here`);
    const known = new Set(settingsOf(stdout));
    const [, named = ''] = new RegExp(`^- Settings that ${version.replaceAll('.', '\\.')} does not know must be unset(.*)$`, 'm').exec(page) ?? [];
    assert.deepEqual(
      [...named.matchAll(/`(PERCH_\w+)`/g)].map(([, name]) => name!).toSorted(),
      [...new Set(settingsOf(page))].filter((name) => !known.has(name)).toSorted(),
    );
  });
});
