/**
 * The packed TypeScript client outside Node: in bun, deno and workerd, in what four bundlers make of it, and in Jest. All come from npm in the versions below;
 * one that cannot be had is skipped by its name. Each installs the tarball into an empty project, and asks, follows events and cancels at a real service.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import { Person, type VirtualRobot } from '@perch/virtual-robot';
import { npmTools } from '../fixture/clients/npm-tools.js';
import { PackedClient } from '../fixture/clients/packed-client.js';
import { questionShown } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

const run = promisify(execFile);
const versions = {
  bun: ['bun@1.4.5'],
  deno: ['deno@2.9.6'],
  workerd: ['workerd@1.20261117.1', 'esbuild@0.28.2'],
  esbuild: ['esbuild@0.28.2'],
  rollup: ['rollup@4.68.8', '@rollup/plugin-node-resolve@16.0.3'],
  webpack: ['webpack@5.113.0'],
  vite: ['vite@8.4.0'],
  jest: ['jest@30.5.2'],
};

const check = `
import { isPerchError, Perch } from '@perch/client';

export async function check({ baseUrl, apiKey, answered, quiet }) {
  const requests = [];
  const perch = new Perch({ baseUrl, apiKey, onResponse: ({ path }) => requests.push(path) });
  const robots = (await perch.robots()).length;
  const { outcome } = await perch.robot(answered).ask({ question: 'Tea?', answers: ['Yes', 'No'], timeout_s: 60 });
  const said = await perch.robot(answered).say({ text: 'Thanks' });
  const refused = await perch.robot(answered).say({ text: 'x'.repeat(81) }).catch((error) => isPerchError(error) && error.field);
  const cancel = new AbortController();
  const asked = perch.robot(quiet).ask({ question: 'Never?', answers: ['Yes', 'No'], timeout_s: 60 }, { signal: cancel.signal });
  const ended = asked.then(({ outcome }) => outcome, (error) => error.name);
  for await (const event of perch.robot(quiet).events({ names: ['pat'], after: 0 })) {
    cancel.abort();
    break;
  }
  return { robots, outcome, said: said.ok, refused, cancelled: await ended, told: requests.length > 3 };
}
`;
const expected = { robots: 2, outcome: 'answered', said: true, refused: 'text', cancelled: 'AbortError', told: true };

/** Each writes `out.js` from `main.js`, and fails on a warning. */
const bundlers: Record<'esbuild' | 'rollup' | 'webpack' | 'vite', string> = {
  esbuild: `
import { build } from 'esbuild';
const { warnings } = await build({ entryPoints: ['main.js'], bundle: true, format: 'esm', platform: 'browser', minify: true, outfile: 'out.js' });
if (warnings.length > 0) throw new Error(JSON.stringify(warnings));
`,
  rollup: `
import { rollup } from 'rollup';
import { nodeResolve } from '@rollup/plugin-node-resolve';
const bundle = await rollup({ input: 'main.js', plugins: [nodeResolve({ browser: true })], onLog: (level, { message }) => { throw new Error(message); } });
await bundle.write({ file: 'out.js', format: 'es' });
`,
  webpack: `
import webpack from 'webpack';
const output = { path: process.cwd(), filename: 'out.js', module: true, library: { type: 'module' } };
const stats = await new Promise((resolve, reject) =>
  webpack({ mode: 'production', context: process.cwd(), entry: './main.js', experiments: { outputModule: true }, output }, (error, done) => (error ? reject(error) : resolve(done))),
);
if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString());
`,
  vite: `
import { build } from 'vite';
const onLog = (level, { message }) => { throw new Error(message); };
const lib = { entry: 'main.js', formats: ['es'], fileName: () => 'out.js' };
await build({ configFile: false, logLevel: 'error', build: { outDir: '.', emptyOutDir: false, lib, rollupOptions: { onLog } } });
`,
};

/** It runs modules that it is given, so that esbuild makes one of them. */
const workerdConfig = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "internet", network = (allow = ["private", "local"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const worker :Workerd.Worker = (modules = [(name = "main", esModule = embed "out.js")], compatibilityDate = "2026-11-01");
`;

onSharedSystems(
  'the packed client outside Node',
  (system) => {
    let work: string;
    let packed: PackedClient;
    before(async () => {
      work = await realpath(await mkdtemp(join(tmpdir(), 'perch-runtimes-')));
      packed = await PackedClient.make();
    });
    after(async () => {
      await packed.remove();
      await rm(work, { recursive: true, force: true });
    });

    /** An empty project with the packed client, and with the runtime or bundler. Its `main.js` is `main`. */
    async function project(context: Context, name: keyof typeof versions, main: (given: string) => string): Promise<Project> {
      const tools = await npmTools(context, versions[name]);
      const folder = join(work, name);
      await mkdir(join(folder, 'node_modules'), { recursive: true });
      await cp(join(packed.folder, 'node_modules/@perch'), join(folder, 'node_modules/@perch'), { recursive: true });
      for (const each of (await readdir(tools)).filter((entry) => !entry.startsWith('.')))
        await symlink(join(tools, each), join(folder, 'node_modules', each));
      const tenant = await system().tenant();
      const [answered, quiet] = [await tenant.robot(), await tenant.robot({ instant: true })];
      const given = JSON.stringify({ baseUrl: system().gateway(), apiKey: tenant.key, answered: answered.id, quiet: quiet.id });
      await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
      await writeFile(join(folder, 'check.js'), check);
      await writeFile(join(folder, 'main.js'), main(given));
      return { folder, tools, answered: answered.robot, quiet: quiet.robot };
    }

    /** Plays the people at both robots while `program` runs, which prints the result of the check as its last line. */
    async function checked({ answered, quiet }: Project, program: () => Promise<string>): Promise<void> {
      const person = new Person(answered, { thinkMs: 50, againMs: 100 });
      const patted = questionShown(quiet).then(() => quiet.pat());
      try {
        const output = await program();
        assert.deepEqual(JSON.parse(output.trim().split('\n').at(-1)!), expected, output);
        await patted;
        await quiet.until(({ screen }) => screen.question === null, { what: 'the cancelled question to leave the screen' });
      } finally {
        person.stop();
      }
    }

    const printed = (given: string): string => `import { check } from './check.js';\nconsole.log(JSON.stringify(await check(${given})));\n`;

    for (const [name, args] of [
      ['bun', ['run', 'main.js']],
      ['deno', ['run', '--no-prompt', '--no-remote', '--no-lock', '--node-modules-dir=manual', '--allow-net=127.0.0.1', 'main.js']],
    ] as const)
      it(`the packed client asks, follows events and cancels in ${name}`, async function () {
        this.timeout(300_000);
        const made = await project(this, name, printed);
        const env = { ...process.env, DENO_DIR: join(work, 'deno-dir'), DENO_NO_UPDATE_CHECK: '1', DO_NOT_TRACK: '1' };
        await checked(made, () => output(join(made.tools, '.bin', name), [...args], { cwd: made.folder, env }));
      });

    it('the packed client asks, follows events and cancels in workerd', async function () {
      this.timeout(300_000);
      const made = await project(
        this,
        'workerd',
        (given) => `import { check } from './check.js';\nexport default { async fetch() { return Response.json(await check(${given})); } };\n`,
      );
      await bundle('esbuild', made);
      await writeFile(join(made.folder, 'config.capnp'), workerdConfig);
      const server = spawn(join(made.tools, '.bin/workerd'), ['serve', '--control-fd=3', 'config.capnp'], {
        cwd: made.folder,
        stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
      });
      try {
        const lines = createInterface({ input: server.stdio[3] as NodeJS.ReadableStream });
        const port = await new Promise<number>((resolve, reject) => {
          lines.on('line', (line) => resolve((JSON.parse(line) as { port: number }).port));
          server.once('exit', (code) => reject(new Error(`workerd ended with ${code}`)));
        });
        await checked(made, async () => (await fetch(`http://127.0.0.1:${port}/`)).text());
      } finally {
        server.kill();
      }
    });

    for (const name of Object.keys(bundlers) as (keyof typeof bundlers)[])
      it(`the packed client asks, follows events and cancels in a bundle of ${name}, which is made without a warning`, async function () {
        this.timeout(300_000);
        const made = await project(this, name, printed);
        await bundle(name, made);
        const text = await readFile(join(made.folder, 'out.js'), 'utf8');
        assert.doesNotMatch(text, /from ?["'](?!\.)/, 'the bundle imports a package');
        await checked(made, () => output(process.execPath, ['out.js'], { cwd: made.folder }));
      });

    async function bundle(name: keyof typeof bundlers, { folder }: Project): Promise<void> {
      await writeFile(join(folder, 'bundle.js'), bundlers[name]);
      await output(process.execPath, ['bundle.js'], { cwd: folder });
    }

    it('Jest loads the packed client as docs and README say: by import with --experimental-vm-modules, by require from Node 24.9 on', async function () {
      this.timeout(300_000);
      const made = await project(this, 'jest', () => '');
      const body = `test('loads', () => expect(typeof Perch).toBe('function'));\n`;
      await writeFile(join(made.folder, 'imported.test.js'), `import { Perch } from '@perch/client';\n${body}`);
      await writeFile(join(made.folder, 'required.test.cjs'), `const { Perch } = require('@perch/client');\n${body}`);
      const jest = (file: string): Promise<string> =>
        output(process.execPath, ['--experimental-vm-modules', join(made.tools, 'jest/bin/jest.js'), '--testMatch', `**/${file}`], {
          cwd: made.folder,
        });
      await jest('imported.test.js');
      const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
      if (major > 24 || (major === 24 && minor >= 9)) await jest('required.test.cjs');
      else await assert.rejects(jest('required.test.cjs'), /24\.9/);
    });
  },
  [shapes[0]!],
);

interface Project {
  folder: string;
  /** Folder `node_modules` with the runtime or bundler. */
  tools: string;
  answered: VirtualRobot;
  quiet: VirtualRobot;
}

/** @throws an Error with all that the program printed */
async function output(program: string, args: string[], options: { cwd: string; env?: NodeJS.ProcessEnv }): Promise<string> {
  return run(program, args, { ...options, timeout: 120_000 }).then(
    ({ stdout }) => stdout,
    (error: Error & { stdout: string; stderr: string }) => {
      throw new Error(`${error.message}\n${error.stdout}${error.stderr}`);
    },
  );
}
