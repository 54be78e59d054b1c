/** Environments of the parts of `.ci/run` and `npm run nightly`. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import process from 'node:process';

/** Tests fail in place of being skipped. */
export const required = { PERCH_TEST_REQUIRE_REDIS: '1', PERCH_TEST_REQUIRE_BROWSER: '1' };

const hidden = /^(?:redis-|valkey-|prometheus|promtool|chromium|google-chrome|pnpm|pnpx|docker|podman)/;
let folder = null;

/**
 * Returns the environment of a machine that has only Node, with `more`: a folder of links to all programs on PATH but the hidden ones, an empty HOME, and an
 * empty cache, since earlier downloads would hide that downloading fails. All are removed when this process exits.
 */
export function onlyNode(more) {
  folder ??= newFolder();
  const { PERCH_TEST_CHROMIUM: _, ...others } = process.env;
  return { ...others, PATH: join(folder, 'bin'), HOME: join(folder, 'home'), PERCH_TEST_CACHE: mkdtempSync(join(folder, 'tools-')), ...more };
}

function newFolder() {
  const made = mkdtempSync(join(tmpdir(), 'perch-only-node-'));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  for (const name of ['bin', 'home']) mkdirSync(join(made, name));
  for (const path of (process.env.PATH ?? '').split(delimiter).filter(isAbsolute)) {
    for (const name of entriesOf(path)) {
      if (hidden.test(name)) continue;
      try {
        symlinkSync(join(path, name), join(made, 'bin', name));
      } catch {
        // A folder before it on PATH has a program of this name.
      }
    }
  }
  return made;
}

function entriesOf(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
