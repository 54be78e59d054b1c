/** Environments as on a machine that has only Node: for parts of `.ci/run` and `npm run nightly`. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import process from 'node:process';

const hidden = /^(?:redis-|valkey-|prometheus|promtool|chromium|google-chrome|pnpm|pnpx|docker|podman)/;

/**
 * Returns a folder, removed when this process exits, and `with`, which makes the environment of a part: links to all programs on PATH but the hidden
 * ones, an empty HOME, and an empty cache, since earlier downloads would hide that downloading fails.
 */
export function onlyNode() {
  const folder = mkdtempSync(join(tmpdir(), 'perch-only-node-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const [bin, home] = [join(folder, 'bin'), join(folder, 'home')];
  for (const made of [bin, home]) mkdirSync(made);
  for (const path of (process.env.PATH ?? '').split(delimiter).filter(isAbsolute)) {
    for (const name of entriesOf(path)) {
      if (hidden.test(name)) continue;
      try {
        symlinkSync(join(path, name), join(bin, name));
      } catch {
        // A folder before it on PATH has a program of this name.
      }
    }
  }
  const { PERCH_TEST_CHROMIUM: _, ...others } = process.env;
  const env = { ...others, PATH: bin, HOME: home, PERCH_TEST_CACHE: join(folder, 'tools') };
  return { folder, with: (more) => ({ isWholeEnv: true, env: { ...env, ...more } }) };
}

function entriesOf(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
