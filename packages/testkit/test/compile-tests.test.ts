import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const testkit = fileURLToPath(new URL('..', import.meta.url));
const compiler = new URL('../../../scripts/compile-tests.mjs', import.meta.url).href;
const programs = fileURLToPath(new URL('../../../scripts/compiled-programs.mjs', import.meta.url));

const one = `
import { readFileSync } from 'node:fs';
export class Robot {}
export const text = readFileSync(new URL('../text.txt', import.meta.url), 'utf8');
export function fail(): never { throw new Error('thrown'); }
`;
const two = `
import { Robot, fail, text } from '@small/one';
import { parse } from 'yaml';
import * as again from '../../one/src/index.js';
import type { Missing } from 'not-installed';
const parsed: Missing = parse('a: 1');
console.log(JSON.stringify({ text, parsed, name: Robot.name, same: again.Robot === Robot, file: import.meta.filename }));
try { fail(); } catch (error) { console.log((error as Error).stack); }
`;

describe('compiled tests', () => {
  let dir = '';
  let folder = '';
  before(() => {
    dir = mkdtempSync(join(realpathSync(tmpdir()), 'perch-compile-'));
    // Packages that the testkit has are installed for the small clone, too.
    symlinkSync(join(testkit, 'node_modules'), join(dir, 'node_modules'));
    folder = join(dir, 'compiled');
    mkdirSync(join(dir, 'scripts'));
    copyFileSync(programs, join(dir, 'scripts/compiled-programs.mjs'));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  const compile = (): boolean => {
    const script = `
      import { compileTests } from '${compiler}';
      process.stdout.write(String(await compileTests(${JSON.stringify(dir)}, ${JSON.stringify(folder)})));`;
    return spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout === 'true';
  };

  it('compiled sources find files, packages and each other as sources do, and their errors name lines of sources', () => {
    for (const parent of ['services', 'tools', 'test-e2e']) mkdirSync(join(dir, parent));
    write(
      'packages/one/package.json',
      JSON.stringify({ name: '@small/one', exports: { '.': { source: './src/index.ts', default: './dist/index.js' } } }),
    );
    write('packages/one/src/index.ts', one);
    write('packages/one/text.txt', 'beside');
    write('packages/two/package.json', JSON.stringify({ name: '@small/two' }));
    write('packages/two/test/two.test.ts', two);
    assert.equal(compile(), true);

    const source = join(dir, 'packages/two/test/two.test.ts');
    const options = [`--import=${pathToFileURL(join(dir, 'scripts/compiled-programs.mjs')).href}?folder=${encodeURIComponent(folder)}`];
    const { stdout, stderr } = spawnSync(process.execPath, [...options, source], { encoding: 'utf8' });
    const [values, ...stack] = stdout.split('\n');
    assert.notEqual(values, '', stderr);
    assert.deepEqual(JSON.parse(values!), { text: 'beside', parsed: { a: 1 }, name: 'Robot', same: true, file: source });
    assert.match(stack.join('\n'), /at fail \(\S*one\/src\/index\.ts:5:[\s\S]*two\/test\/two\.test\.ts:8:/);
  });

  it('a source with a syntax error is reported as not compiled', () => {
    write('packages/two/test/two.test.ts', 'const = 1;');
    assert.equal(compile(), false);
  });
});
