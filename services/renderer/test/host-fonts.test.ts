import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./programs/digests.ts', import.meta.url));
const withoutFonts = fileURLToPath(new URL('./no-host-fonts.ts', import.meta.url));

const firstEmoji = fileURLToPath(new URL('./programs/first-emoji.ts', import.meta.url));

function run(path: string, ...imports: string[]): string[] {
  const flags = imports.flatMap((name) => ['--import', name]);
  return execFileSync(process.execPath, [...process.execArgv, ...flags, path], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

describe('pictures', () => {
  it('pictures have the same pixels on a machine without any fonts as on this one', () => {
    const here = run(program);
    assert.equal(here.length, 7);
    assert.deepEqual(run(program, withoutFonts), here);
  });

  it('a process draws its first emoji within 100 ms', () => {
    // The least of up to ten: a busy machine may stop a process.
    let ms = Infinity;
    for (let tried = 0; tried < 10 && ms >= 100; tried += 1) ms = Math.min(ms, Number(run(firstEmoji)[0]));
    assert.ok(ms < 100, `${ms} ms`);
  });
});
