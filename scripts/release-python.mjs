/** Builds the wheel and the source archive of the Python client with Debian's python3-build and python3-hatchling, without network. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The second one is Debian's, which sees Debian's modules. */
const pythons = ['python3', '/usr/bin/python3'];

/** @returns the Python that can build a wheel, or null */
export function buildingPython() {
  const found = pythons.find((python) => spawnSync(python, ['-c', 'import build, hatchling'], { stdio: 'ignore' }).status === 0);
  return found ?? null;
}

/** @returns the paths of the wheel and the source archive @throws with the output of the build */
export function buildPython(python, folder, out) {
  mkdirSync(out, { recursive: true });
  const args = ['-m', 'build', '--no-isolation', '--skip-dependency-check', '--outdir', out, folder];
  const { status, stdout, stderr } = spawnSync(python, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`python3 -m build: ${stdout}${stderr}`);
  const file = (ending) =>
    join(
      out,
      readdirSync(out).find((name) => name.endsWith(ending)),
    );
  return { wheel: file('.whl'), archive: file('.tar.gz') };
}
