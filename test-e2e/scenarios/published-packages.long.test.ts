/** The packages as they are published: built by the release script, installed into empty folders without network, and used against the built services. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readSignedUpdate } from '@perch/installer/node';
import { redisUrl, skipTest } from '@perch/testkit';
import { npmTools } from '../fixture/clients/npm-tools.js';
import { pythonTestModules, pythonTests } from '../fixture/clients/python-client.js';
import { codeBlocks } from '../fixture/interface/code-blocks.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

interface Built {
  packages: { name: string; version: string; folder: string; tarball: { path: string; files: string[] } }[];
  python: { folder: string; wheel: string | null; archive?: string; missing?: string };
  problems: string[];
}

interface PythonRelease {
  buildingPython: () => Promise<{ python: string; env: NodeJS.ProcessEnv } | string>;
  problemsOfPython: (python: { python: string; env: NodeJS.ProcessEnv }, built: { wheel: string; archive: string }) => string[];
  problemsOfTwine: (python: { python: string; env: NodeJS.ProcessEnv }, built: { wheel: string; archive: string }) => string[] | null;
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

const typedProgram = `
import { isPerchError, Perch, type AskArguments, type Fetch } from '@perch/client';
import { startVirtualRobot } from '@perch/virtual-robot';
import type { fetch as undici } from 'undici-types';

declare const given: { lang: string | undefined; bytes: Uint8Array; undici: typeof undici };
const platform: Fetch = fetch;
const perch = new Perch({ baseUrl: 'http://127.0.0.1:8080', apiKey: 'pk_x', fetch: given.undici, onResponse: ({ requestId }) => console.log(requestId) });
const args: AskArguments = { question: 'Tea?', answers: ['Yes', 'No'], lang: given.lang };
export async function main(): Promise<void> {
  const { answer } = await perch.robot('r-1').ask(args);
  const text: string | null = answer;
  const { picture } = await perch.uploadPicture(given.bytes);
  const asked = await perch.robot('r-1').ask({ ...args, detach: true });
  // @ts-expect-error: a question that was replaced before it showed has none.
  const unsafe: string = asked.wait;
  if (asked.outcome === 'pending') {
    const ended = await perch.wait(asked.wait);
    const index: number | null = ended.index;
    if (ended.outcome === 'answered') console.log(unsafe, index, ended.index + 1);
  }
  const tiles = await perch.robot('r-1').menu({ items: ['a', 'b'] });
  const place: number = tiles.outcome === 'answered' ? tiles.index : -1;
  const { outcome, region, x } = await perch.robot('r-1').clickmap({ regions: [{ id: 'a', rect: [0, 0, 9, 9] }] });
  if (outcome === 'answered') console.log(region.length + x + place);
  for await (const event of perch.robot('r-1').events({ names: ['tap'] })) {
    if (event.name !== 'tap') continue;
    const x: number = event.data.x;
    console.log(text, picture, x);
  }
  await perch.robots().catch((error: unknown) => {
    if (!isPerchError(error)) throw error;
    const code: string = error.code;
    console.log(code, error.requestId);
  });
  const exported: Response = await perch.exportActivity({ format: 'csv' });
  console.log(exported.status, platform);
  const { robot, stop } = await startVirtualRobot({ baseUrl: 'http://127.0.0.1:8082', token: 'rt_x' });
  console.log(robot.bubble?.text);
  await stop();
}
`;

const typedPython = `
import asyncio
from typing import List, Optional, Tuple

import perch_client
from perch_client import AskAnswer, CallOptions, DetachedAnswer, MenuAnswer, Perch, Said, aio


def told(answer: AskAnswer) -> str:
    if answer["outcome"] == "answered":
        return answer["answer"]
    if answer["outcome"] == "pending":
        return answer["wait"]
    return "timed out" if answer["outcome"] == "timed_out" else "replaced"


def place_of(answer: MenuAnswer) -> int:
    return answer["index"] if answer["outcome"] == "answered" else -1


def later(perch: Perch, answer: AskAnswer) -> Optional[str]:
    if answer["outcome"] != "pending":
        return None
    ended: DetachedAnswer = perch.wait(answer["wait"], seconds=60)
    return ended.get("answer")


def say(perch: Perch, texts: List[str], options: CallOptions) -> List[Said]:
    return [perch.robot("r-1").say(text, **options) for text in texts]


async def ask(service: aio.Perch) -> Tuple[str, str]:
    robot = service.robot("r-1")
    asked = await robot.ask("Tea?", ["Yes", "No"], detach=True)
    return told(asked), perch_client.__version__


if __name__ == "__main__":
    asyncio.run(ask(aio.Perch("http://127.0.0.1:8080", "pk_x")))
`;

/** Refused by a type checker: an answer that may be none, a wait that may be none, and a keyword that no call has. */
const wrongPython = `
from perch_client import Perch

robot = Perch("http://127.0.0.1:8080", "pk_x").robot("r-1")
text: str = robot.ask("Tea?", ["Yes", "No"])["answer"]
wait: str = robot.ask("Tea?", ["Yes", "No"], detach=True)["wait"]
robot.say("Hi", retry=True)
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
    let signed: string;
    before(async function () {
      this.timeout(300_000);
      work = await realpath(await mkdtemp(join(tmpdir(), 'perch-packages-')));
      signed = join(work, 'robot-program.json');
      const secret = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
      const sign = [join(root, 'packages/cli/dist/main.js'), 'robot', 'sign', '--out', signed];
      await run(process.execPath, sign, { env: { ...outsideNpm(), PERCH_ROBOT_SIGNING_KEY: secret } });
      const args = [join(root, 'scripts/release.mjs'), '--dry-run', '--built', '--json', '--out', join(work, 'staged')];
      const { stdout } = await run(process.execPath, args, { env: { ...outsideNpm(), PERCH_ROBOT_PROGRAM: signed }, maxBuffer: 1 << 24 });
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

    it('the release script writes checksums of the tarballs and of what is built for Python, which a publishing job compares', async () => {
      const sums = await readFile(join(work, 'staged/SHA256SUMS'), 'utf8');
      const files = [...sums.matchAll(/^[0-9a-f]{64} {2}(.+)$/gm)].map(([, file]) => file!);
      const wheel = built.python.wheel === null ? [] : [built.python.archive!, built.python.wheel].map((path) => `python-dist/${basename(path)}`);
      const tarballs = built.packages.map(({ tarball }) => `tarballs/${basename(tarball.path)}`);
      assert.deepEqual(files.toSorted(), ['packages.json', ...tarballs, ...wheel].toSorted());
      await run(process.execPath, [join(root, 'scripts/release.mjs'), '--check', '--out', join(work, 'staged')]);
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

    it('tools that do not read exports find each package, and its source maps name files that it has', async () => {
      for (const { folder, name, tarball } of built.packages.slice(0, 2)) {
        const { main } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { main: string };
        assert.ok(existsSync(join(folder, main)), `${name}: react/metro 1424, import-js/eslint-plugin-import 1810`);
        const maps = tarball.files.filter((file) => file.endsWith('.map'));
        assert.ok(maps.length > 10);
        for (const file of maps) {
          const { sources, sourcesContent } = JSON.parse(await readFile(join(folder, file), 'utf8')) as {
            sources: string[];
            sourcesContent?: string[];
          };
          const missing = sources.filter((source, i) => sourcesContent?.[i] === undefined && !existsSync(join(folder, dirname(file), source)));
          assert.deepEqual(missing, [], `${name} ${file}: DevCycleHQ/js-sdks 488`);
        }
      }
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
      // As programs in CommonJS, and Jest without ES modules, load it.
      const { stdout: required } = await run(process.execPath, ['-e', "console.log(typeof require('@perch/client').Perch)"], { cwd: folder });
      assert.equal(required, 'function\n');

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
      // The package has the signed program of the release, and signs, as the workflow does.
      const ofPackage = join(folder, 'node_modules/perch/robot-program');
      assert.equal(await readFile(join(ofPackage, 'signed.json'), 'utf8'), await readFile(signed, 'utf8'));
      const { sha256 } = JSON.parse((await perch('robot', 'sign', '--key', 'own.pem', '--out', 'own.json', '--json')).stdout) as { sha256: string };
      assert.equal(readSignedUpdate(await readFile(join(folder, 'own.json'), 'utf8')).sha256, sha256);
      env['PERCH_REDIS_URL'] = await redisUrl();
      const { stdout: account } = await perch('account', 'add', '--email', `${id}@example.org`, '--json');
      assert.match((JSON.parse(account) as { account: string }).account, /^a-/);
    });

    for (const [which, compiler] of [
      ['5.4, the oldest that the client promises', 'typescript-oldest'],
      ['the newest', 'typescript'],
    ] as const)
      it(`the types of client and virtual robot compile with TypeScript ${which}, libraries checked, in a program with the fetch of undici`, async function () {
        this.timeout(120_000);
        const folder = join(work, compiler);
        await mkdir(folder);
        await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'typed', private: true, type: 'module' }));
        await writeFile(join(folder, 'program.ts'), typedProgram);
        for (const { name, tarball } of built.packages.slice(0, 2)) {
          const installed = join(folder, 'node_modules', name);
          await mkdir(installed, { recursive: true });
          await run('tar', ['-xzf', tarball.path, '-C', installed, '--strip-components=1']);
        }
        const { resolve } = createRequire(import.meta.url);
        await symlink(dirname(resolve('undici-types/package.json')), join(folder, 'node_modules/undici-types'));
        // TypeScript 7 dropped node10, in which the package is found without its exports.
        const resolutions = ['nodenext', 'bundler', ...(compiler === 'typescript-oldest' ? ['node10'] : [])];
        for (const resolution of resolutions) {
          const module = resolution === 'nodenext' ? resolution : 'esnext';
          const options = `--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck false --target es2022 --lib es2023,dom,dom.iterable`.split(
            ' ',
          );
          const args = [
            join(dirname(resolve(`${compiler}/package.json`)), 'bin/tsc'),
            ...options,
            '--module',
            module,
            '--moduleResolution',
            resolution,
            'program.ts',
          ];
          await run(process.execPath, args, { cwd: folder }).catch((error: { stdout: string }) => assert.fail(`${resolution}: ${error.stdout}`));
        }
      });

    it('examples and programs with types pass the strict checks of pyright with the wheel alone, for Python 3.9 and 3.14', async function () {
      this.timeout(300_000);
      if (built.python.wheel === null) skipTest(this, built.python.missing!);
      // "Separate rule for non-required TypedDict field access" (microsoft/pyright#1693): pyright alone refuses fields that may be absent.
      const pyright = join(await npmTools(this, ['pyright@1.1.414']), 'pyright/index.js');
      const folder = join(work, 'typed-python');
      await mkdir(folder);
      await run('python3', ['-m', 'zipfile', '-e', built.python.wheel, join(folder, 'installed')]);
      const examples = async (page: string): Promise<string> =>
        (await codeBlocks(page))
          .filter(({ language }) => language === 'python')
          .map(({ text }) => text)
          .join('\n');
      const files = {
        'typed.py': typedPython,
        'readme.py': await examples('clients/python/README.md'),
        'page.py': await examples('docs/clients/python.md'),
        'wrong.py': wrongPython,
        'pyrightconfig.json': JSON.stringify({ typeCheckingMode: 'strict', extraPaths: ['installed'], exclude: ['installed'] }),
      };
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
      for (const version of ['3.9', '3.14']) {
        const args = [pyright, '--outputjson', '--pythonversion', version];
        const { stdout } = await run(process.execPath, args, { cwd: folder }).catch((error: { stdout: string }) => error);
        const { generalDiagnostics } = JSON.parse(stdout) as {
          generalDiagnostics: { file: string; range: { start: { line: number } }; message: string }[];
        };
        const found = generalDiagnostics.map(({ file, range, message }) => `${basename(file)}:${range.start.line + 1} ${message}`);
        const isWrong = (each: string): boolean => each.startsWith('wrong.py:');
        assert.deepEqual(
          found.filter((each) => !isWrong(each)),
          [],
          version,
        );
        const lines = new Set(found.filter(isWrong).map((each) => each.split(' ')[0]));
        assert.deepEqual([...lines], ['wrong.py:5', 'wrong.py:6', 'wrong.py:7'], found.join('\n'));
      }
    });

    it('the Python wheel works in an empty environment, without network, and passes the tests of the client there', async function () {
      this.timeout(480_000);
      if (built.python.wheel === null) skipTest(this, built.python.missing!);
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
      assert.ok((await pythonTests(this, system(), await pythonTestModules(), python)) >= 40);
    });

    it('the release script finds metadata that the index of Python packages refuses, and what a wheel installs beside its package', async function () {
      // "license-expression introduced in metadata version 2.4, not 2.1" (pypa/hatch 1846); "Wheel installs toplevel directories" (lasp/cdflib 273).
      const { buildingPython, problemsOfPython } = (await import(new URL('../../scripts/release-python.mjs', import.meta.url).href)) as PythonRelease;
      const python = await buildingPython();
      if (typeof python === 'string') skipTest(this, python);
      const { wheel, archive } = built.python as { wheel: string; archive: string };
      assert.deepEqual(problemsOfPython(python, { wheel, archive }), []);
      const change = async (name: string, change: string): Promise<string> => {
        const changed = join(work, `${name}.whl`);
        const program = `import sys, zipfile
before, after = zipfile.ZipFile(sys.argv[1]), zipfile.ZipFile(sys.argv[2], "w")
for name in before.namelist():
    text = before.read(name)
    ${change}
    after.writestr(name, text)
after.close()`;
        await run('python3', ['-c', program, wheel, changed]);
        return changed;
      };
      const older = await change('older', 'text = text.replace(b"Metadata-Version: 2.4", b"Metadata-Version: 2.1")');
      assert.match(problemsOfPython(python, { wheel: older, archive }).join(), /license-expression introduced in metadata version 2\.4, not 2\.1/);
      const more = await change('more', 'after.writestr(f"tests/{before.namelist().index(name)}", "")');
      assert.match(problemsOfPython(python, { wheel: more, archive }).join(), /the wheel installs \{'tests'\} beside the package/);
      const bare = await change('bare', 'text = text.split(b"\\n\\n")[0] + b"\\n\\n" if name.endswith("METADATA") else text');
      assert.match(problemsOfPython(python, { wheel: bare, archive }).join(), /there is no description/);
    });

    it('twine check accepts the wheel and the source archive, and refuses a wheel without metadata', async function () {
      const { buildingPython, problemsOfTwine } = (await import(new URL('../../scripts/release-python.mjs', import.meta.url).href)) as PythonRelease;
      const python = await buildingPython();
      if (typeof python === 'string') skipTest(this, python);
      const { wheel, archive } = built.python as { wheel: string; archive: string };
      const problems = problemsOfTwine(python, { wheel, archive }) ?? skipTest(this, `${python.python} has no twine 6.1`);
      assert.deepEqual(problems, []);
      const empty = join(work, 'perch_client-0.0.0-py3-none-any.whl');
      await run('python3', ['-c', 'import sys, zipfile; zipfile.ZipFile(sys.argv[1], "w").close()', empty]);
      assert.match(problemsOfTwine(python, { wheel: empty, archive })!.join(), /twine check/);
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
