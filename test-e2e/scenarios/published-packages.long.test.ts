/** The packages as they are published: built by the release script, installed into empty folders without network, and used against the built services. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { redisUrl, skipTest } from '@perch/testkit';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

interface Built {
  packages: { name: string; version: string; folder: string; tarball: { path: string; files: string[] } }[];
  python: { folder: string; wheel: string | null };
  problems: string[];
}

const program = `
import { Perch } from '@perch/client';
import { startVirtualRobot } from '@perch/virtual-robot';

const { ROBOT_URL: baseUrl, ROBOT_TOKEN: token, PERCH_BASE_URL, PERCH_API_KEY, PERCH_ROBOT } = process.env;
const { robot, stop } = await startVirtualRobot({ baseUrl, token });
const perch = new Perch({ baseUrl: PERCH_BASE_URL, apiKey: PERCH_API_KEY });
const { outcome } = await perch.robot(PERCH_ROBOT).ask({ question: 'Deploy?', answers: ['Yes', 'No'], timeout_s: 60 });
console.log(JSON.stringify({ outcome, violations: robot.violations }));
await stop();
`;

const pythonProgram = `
import os
from perch_client import Perch
with Perch(os.environ["PERCH_BASE_URL"], os.environ["PERCH_API_KEY"]) as perch:
    print([each["id"] for each in perch.robots()])
`;

onSharedSystems(
  'published packages',
  (system) => {
    let work: string;
    let built: Built;
    before(async function () {
      this.timeout(300_000);
      work = await realpath(await mkdtemp(join(tmpdir(), 'perch-packages-')));
      const args = [join(root, 'scripts/release.mjs'), '--dry-run', '--built', '--json', '--out', join(work, 'staged')];
      const { stdout } = await run(process.execPath, args, { env: outsideNpm(), maxBuffer: 1 << 24 });
      built = JSON.parse(stdout) as Built;
    });
    after(() => rm(work, { recursive: true, force: true }));

    it('the release script builds the packages that are published, and publint, attw and a dry run of npm publish accept them', () => {
      assert.deepEqual(
        built.packages.map(({ name }) => name),
        ['@perch/client', '@perch/virtual-robot', 'perch'],
      );
      assert.deepEqual(built.problems, []);
      for (const { name, tarball } of built.packages) {
        for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md']) assert.ok(tarball.files.includes(file), `${name} lacks ${file}`);
        const unwanted = tarball.files.filter((file) => /(?:^|\/)(?:test|node_modules)\/|tsbuildinfo|\.env/.test(file));
        assert.deepEqual(unwanted, [], name);
      }
    });

    it('a published package depends on nothing of this repository that is not published, and names its repository and its provenance', async () => {
      for (const { folder, name } of built.packages) {
        const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, Record<string, unknown>>;
        const needed = Object.keys({ ...manifest['dependencies'], ...manifest['optionalDependencies'] });
        assert.deepEqual(needed, { perch: ['@node-rs/argon2'], '@perch/virtual-robot': ['ws'] }[name] ?? [], name);
        assert.deepEqual(manifest['publishConfig'], { access: 'public', provenance: true });
        assert.match(String(manifest['repository']!['url']), /^git\+https:\/\/.+\.git$/);
        const readme = await readFile(join(folder, 'README.md'), 'utf8');
        assert.deepEqual(readme.match(/\]\((?!https:|#)[^)]*\)/g), null, `${name}: a link of its README leads nowhere`);
      }
      const licenses = await readFile(join(built.packages[2]!.folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
      for (const name of ['ioredis', 'commander']) assert.match(licenses, new RegExp(`^${name} \\d`, 'm'));
    });

    it('the packages work in an empty folder: a robot for CI, the client, and the command line over HTTP and over Redis', async function () {
      this.timeout(240_000);
      const folder = join(work, 'project');
      await mkdir(folder);
      await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }));
      const ws = dirname(createRequire(import.meta.url).resolve('ws/package.json'));
      await run('npm', ['pack', '--ignore-scripts', '--pack-destination', work], { cwd: ws, env: outsideNpm() });
      const { version } = JSON.parse(await readFile(join(ws, 'package.json'), 'utf8')) as { version: string };
      const tarballs = [...built.packages.map(({ tarball }) => tarball.path), join(work, `ws-${version}.tgz`)];
      await run('npm', ['install', '--offline', '--omit=optional', '--no-audit', '--no-fund', ...tarballs], { cwd: folder, env: outsideNpm() });
      assert.equal(existsSync(join(folder, 'node_modules/@perch/schema')), false);

      const tenant = await system().tenant();
      const { id, token } = await tenant.offlineRobot();
      const env: NodeJS.ProcessEnv = { ...process.env, PERCH_BASE_URL: system().gateway(), PERCH_API_KEY: tenant.key, PERCH_ROBOT: id };
      await writeFile(join(folder, 'program.js'), program);
      const robotUrl = new URL(system().link()).origin;
      const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder, env: { ...env, ROBOT_URL: robotUrl, ROBOT_TOKEN: token } });
      assert.deepEqual(JSON.parse(stdout), { outcome: 'answered', violations: [] });

      const perch = (...args: string[]): Promise<{ stdout: string }> => run(join(folder, 'node_modules/.bin/perch'), args, { cwd: folder, env });
      assert.equal((await perch('--version')).stdout, `${built.packages[2]!.version}\n`);
      assert.equal((JSON.parse((await perch('state', '--json')).stdout) as { id: string }).id, id);
      assert.match((await perch('connect', 'vscode', '--print')).stdout, /promptString/);
      env['PERCH_REDIS_URL'] = await redisUrl();
      const { stdout: account } = await perch('account', 'add', '--email', `${id}@example.org`, '--json');
      assert.match((JSON.parse(account) as { account: string }).account, /^a-/);
    });

    it('the Python wheel works in an empty environment, without network', async function () {
      this.timeout(240_000);
      if (built.python.wheel === null) skipTest(this, 'no Python on this machine has the modules build and hatchling');
      const environment = join(work, 'venv');
      await run('python3', ['-m', 'venv', environment]).catch(() => skipTest(this, 'python3 has no module venv or ensurepip'));
      const python = join(environment, 'bin/python3');
      await run(python, ['-m', 'pip', 'install', '--no-index', '--no-deps', '--disable-pip-version-check', built.python.wheel]);
      const tenant = await system().tenant();
      const { id } = await tenant.offlineRobot();
      const env = { ...process.env, PYTHONPATH: '', PERCH_BASE_URL: system().gateway(), PERCH_API_KEY: tenant.key };
      const { stdout } = await run(python, ['-c', pythonProgram], { cwd: work, env });
      assert.equal(stdout, `['${id}']\n`);
      const { stdout: shown } = await run(python, ['-m', 'pip', 'show', '--files', '--disable-pip-version-check', 'perch-client']);
      for (const part of ['LICENSE', 'py.typed', 'aio']) assert.ok(shown.includes(part), shown);
    });

    it('the release script refuses to publish without a tag of the version, a token and a repository, and says so', async () => {
      const env = { ...outsideNpm(), NODE_AUTH_TOKEN: '', PERCH_REPOSITORY: '', GITHUB_REPOSITORY: '' };
      const failure = await run(process.execPath, [join(root, 'scripts/release.mjs'), '--publish', '--built'], { env }).then(
        () => assert.fail('it published'),
        (error: { code: number; stderr: string }) => error,
      );
      assert.equal(failure.code, 1);
      for (const why of ['has no tag v', 'NODE_AUTH_TOKEN is not set', 'PERCH_REPOSITORY is not set']) assert.ok(failure.stderr.includes(why), why);
    });
  },
  [shapes[0]!],
);

/** Without the options that `npm test` passes on to the npm that a test starts. */
function outsideNpm(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))) as Record<string, string>;
}
