import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { apply, workedExamples } from './worked-examples.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('a copy of the clone with the worked examples of CONTRIBUTING.md', function () {
  this.timeout(15 * 60_000);
  let copy: string;

  before(() => {
    copy = realpathSync(mkdtempSync(join(tmpdir(), 'perch-examples-')));
    copyClone(copy);
  });

  after(() => rmSync(copy, { recursive: true, force: true }));

  for (const { title, changes, generated } of workedExamples(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'))) {
    it(`changes the files that "${title}" names, and no others`, () => {
      for (const change of changes) apply(copy, change);
      run('npx', '--yes', 'pnpm@10.34.9', '-r', 'run', 'generate');
      const changed = run('git', 'status', '--porcelain', '--untracked-files=all')
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(3));
      commit();
      assert.deepEqual(changed.toSorted(), [...new Set(changes.map(({ file }) => file)), ...generated].toSorted());
    });
  }

  it('a copy with all of them builds', () => {
    // Not `npm run build`, which would install into the modules of the clone.
    run(process.execPath, 'node_modules/typescript/bin/tsc', '-b', 'tsconfig.build.json');
    run(process.execPath, 'node_modules/typescript/bin/tsc', '-p', 'packages/console');
    const bundle =
      "import('./scripts/bundle.mjs').then(async ({ bundleServices }) => { if (!(await bundleServices(process.cwd()))) process.exit(1); })";
    run(process.execPath, '--input-type=module', '--eval', bundle);
    assert.ok(existsSync(join(copy, 'services/gateway/dist/main.js')));
  });

  function copyClone(to: string): void {
    const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, maxBuffer: 64_000_000 });
    const files = listed.stdout.toString().split('\0');
    for (const file of files.filter((file) => file !== '' && existsSync(join(root, file)))) {
      mkdirSync(join(to, dirname(file)), { recursive: true });
      cpSync(join(root, file), join(to, file), { verbatimSymlinks: true });
    }
    // The links in the packages' folders are relative, so that those to other packages lead to the copy.
    symlinkSync(join(root, 'node_modules'), join(to, 'node_modules'));
    for (const folder of ['packages', 'services', 'tools'].flatMap((parent) => readdirSync(join(to, parent)).map((name) => join(parent, name))))
      if (existsSync(join(root, folder, 'node_modules')))
        cpSync(join(root, folder, 'node_modules'), join(to, folder, 'node_modules'), { recursive: true, verbatimSymlinks: true });
    run('git', 'init', '-q');
    commit();
  }

  function commit(): void {
    run('git', 'add', '-A');
    run('git', '-c', 'user.name=test', '-c', 'user.email=test@localhost', 'commit', '-q', '-m', 'test');
  }

  function run(command: string, ...args: string[]): string {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: copy, encoding: 'utf8', maxBuffer: 64_000_000, env: process.env });
    assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}\n${stderr}`);
    return stdout;
  }
});
