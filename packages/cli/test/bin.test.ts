import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const folder = fileURLToPath(new URL('../', import.meta.url));

describe('the command of the package', () => {
  it('is a file that no build writes, so that an installation links it without a warning, and runs what was built', async () => {
    // "pnpm warns if monorepo package's bin is not built yet" (pnpm/pnpm#10524).
    const { bin, version } = JSON.parse(await readFile(`${folder}package.json`, 'utf8')) as { bin: { perch: string }; version: string };
    assert.doesNotMatch(bin.perch, /dist/);
    assert.equal((await promisify(execFile)(process.execPath, [folder + bin.perch, '--version'])).stdout, `${version}\n`);
  });
});
