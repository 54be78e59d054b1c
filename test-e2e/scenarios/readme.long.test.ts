/** Runs the commands of the README and of the pages it leads to, as they are printed there. */
import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { skipTest } from '@perch/testkit';
import { Person } from '@perch/virtual-robot';
import { codeBlocks } from '../fixture/interface/code-blocks.js';
import { left, questionShown } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes } from '../fixture/system/system-under-test.js';

const run = promisify(execFile);

onSharedSystems(
  'readme',
  (system) => {
    for (const [page, least] of [
      ['README.md', 1],
      ['docs/programs.md', 8],
    ] as const) {
      it(`every curl of ${page} works when pasted, and answers as the page says`, async function () {
        await run('curl', ['--version']).catch(() => skipTest(this, 'there is no curl on PATH'));
        const curls = (await codeBlocks(page)).filter(({ language, text }) => language === 'sh' && text.startsWith('curl'));
        assert.ok(curls.length >= least, `${curls.length} blocks of curl`);
        const tenant = await system().tenant();
        const { id, robot } = await tenant.robot();
        const person = new Person(robot, { thinkMs: 50, againMs: 100 });
        try {
          for (const { text, answer } of curls) {
            const env = { ...process.env, PERCH_BASE_URL: system().gateway(), PERCH_API_KEY: tenant.key, PERCH_ROBOT: id };
            const { stdout } = await run('sh', ['-eu', '-c', text], { env, timeout: 60_000 });
            const body = JSON.parse(stdout) as Record<string, unknown>;
            assert.equal(body['ok'], true, `${text}\n${stdout}`);
            if (answer === null) continue;
            const shown = JSON.parse(answer) as Record<string, unknown>;
            assert.deepEqual(Object.keys(body), Object.keys(shown), `${text}\n${stdout}`);
            for (const key of ['ok', 'outcome', 'timed_out', 'replaced']) assert.deepEqual(body[key], shown[key], text);
          }
        } finally {
          person.stop();
        }
        assert.deepEqual(robot.violations, []);
      });

      it(`the variables in the commands of ${page} are those that it says to set`, async () => {
        const blocks = await codeBlocks(page);
        const used = new Set(
          blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => [...text.matchAll(/\$(\w+)/g)].map(([, name]) => name)),
        );
        const set = new Set(blocks.flatMap(({ text }) => [...text.matchAll(/(?:^|\s)([A-Z_]+)=/g)].map(([, name]) => name)));
        assert.deepEqual([...used].toSorted(), ['PERCH_API_KEY', 'PERCH_BASE_URL', 'PERCH_ROBOT']);
        for (const name of used) assert.ok(set.has(name), name);
      });
    }

    /** Runs the shell commands of a page, one after the other, as a person would with `perch` on PATH. */
    async function shellOutput(page: string): Promise<{ id: string; lines: string[]; files: string[] }> {
      const blocks = (await codeBlocks(page)).filter(({ language }) => language === 'sh');
      assert.ok(blocks.length >= 1, page);
      const tenant = await system().tenant();
      const { id, robot } = await tenant.robot();
      const person = new Person(robot, { thinkMs: 50, againMs: 100 });
      const main = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
      const own = { PERCH_BASE_URL: system().gateway(), PERCH_API_KEY: tenant.key, PERCH_ROBOT: id, NODE: process.execPath, MAIN: main };
      const folder = await mkdtemp(join(tmpdir(), 'perch-shell-'));
      const script = ['perch() { "$NODE" "$MAIN" "$@"; }', ...blocks.map(({ text }) => text)].join('\n');
      try {
        const { stdout } = await run('sh', ['-eu', '-c', script], { cwd: folder, env: { ...process.env, ...own }, timeout: 300_000 });
        return { id, lines: stdout.trimEnd().split('\n'), files: (await readdir(folder)).toSorted() };
      } finally {
        person.stop();
        await rm(folder, { recursive: true });
      }
    }

    it('every perch command of docs/shell.md works in a shell', async () => {
      const { id, lines, files } = await shellOutput('docs/shell.md');
      const [drink, lunch, event, faced, holder, activity] = lines;
      assert.match(drink!, /^(Tea|Coffee)$/);
      assert.equal((JSON.parse(lunch!) as { outcome: string }).outcome, 'answered');
      assert.match(event!, / 1 connected$/);
      assert.equal(faced, id);
      assert.ok([`${id} Me`, `${id} Not me`].includes(holder!), holder);
      assert.match(activity!, /^TIME +BY +ROBOT +ACTION/);
      assert.ok(
        lines.some((line) => line.startsWith('DATE ')),
        lines.join('\n'),
      );
      assert.match(lines.at(-1)!, /^(?:shipping|not shipping: 7)$/);
      assert.deepEqual(files, ['activity.csv', 'drawn.png', 'now.png']);
    });

    it('every shell command of docs/recipes.md works, and every program that it names is there', async () => {
      const { lines } = await shellOutput('docs/recipes.md');
      assert.match(lines.join('\n'), /^(?:Yes\nhere goes your deployment|No)\nseconds=[\d.]+$/);
      const text = await readFile(new URL('../../docs/recipes.md', import.meta.url), 'utf8');
      const programs = [...text.matchAll(/\]\(\.\.\/examples\/([\w-]+\.mjs)\)/g)].map(([, name]) => name!);
      const examples = (await readdir(new URL('../../examples/', import.meta.url))).filter((name) => name.endsWith('.mjs') && name !== 'robot.mjs');
      assert.deepEqual(programs.toSorted(), examples.toSorted());
    });

    it('docs/clients/README.md lists the page of each client and no other', async () => {
      const folder = new URL('../../docs/clients/', import.meta.url);
      const pages = (await readdir(folder)).filter((name) => name !== 'README.md' && name !== 'compatibility.md');
      const table = (await readFile(new URL('README.md', folder), 'utf8'))
        .split('\n## ')[0]!
        .match(/^\| \[.*$/gm)!
        .join('\n');
      const listed = new Set([...table.matchAll(/\]\(([\w-]+\.md)(?:#[\w-]+)?\)/g)].map(([, name]) => name!));
      assert.deepEqual([...listed].toSorted(), pages.toSorted());
      for (const page of pages) {
        const text = await readFile(new URL(page, folder), 'utf8');
        for (const part of ['## Set-up', '## First call', '## What it looks like']) assert.ok(text.includes(`\n${part}\n`), `${page}: ${part}`);
      }
    });

    const filesOfClients: Record<string, string[]> = {
      agents: ['.codex', '.cursor', '.gemini', '.mcp.json', '.vscode'],
      curl: [],
    };
    for (const [client, expected] of Object.entries(filesOfClients)) {
      it(`the commands of docs/clients/${client}.md work in a shell, and write the files that the page names`, async function () {
        await run('curl', ['--version']).catch(() => skipTest(this, 'there is no curl on PATH'));
        const { lines, files } = await shellOutput(`docs/clients/${client}.md`);
        assert.deepEqual(files, expected);
        const output = lines.join('\n');
        assert.ok(!output.includes('"ok":false') && output.includes(client === 'curl' ? '"queued":true' : '/mcp'), output);
      });
    }

    it('every program in Python of docs/clients gets the answer and puts a card into the queue', async function () {
      await run('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).catch(() => skipTest(this, 'there is no Python 3.9 on PATH'));
      const tenant = await system().tenant();
      const { robot } = await tenant.robot();
      const person = new Person(robot, { thinkMs: 50, againMs: 100 });
      const clone = fileURLToPath(new URL('../../', import.meta.url));
      const PYTHONPATH = join(clone, 'clients/python/src');
      const env = { ...process.env, PERCH_BASE_URL: system().gateway(), PERCH_API_KEY: tenant.key, PYTHONPATH };
      try {
        const blocks = await Promise.all((await readdir(join(clone, 'docs/clients'))).map((page) => codeBlocks(`docs/clients/${page}`)));
        const programs = blocks.flat().filter(({ language }) => language === 'python');
        assert.ok(programs.length >= 1);
        for (const { text } of programs) assert.match((await run('python3', ['-c', text], { env, timeout: 60_000 })).stdout, /^(Tea|Coffee)\n$/);
      } finally {
        person.stop();
      }
    });

    /** Runs the program of docs/agents.md, to its end. */
    async function agentProgram(tenant: { key: string }): Promise<{ child: ChildProcess; ended: Promise<{ out: string; code: number | null }> }> {
      const text = (await codeBlocks('docs/agents.md')).find(({ language }) => language === 'js')!.text;
      const env = { ...process.env, PERCH_BASE_URL: system().gateway(), PERCH_API_KEY: tenant.key };
      const cwd = fileURLToPath(new URL('../', import.meta.url));
      const child = spawn(process.execPath, ['--input-type=module', '--eval', text], { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (out += chunk.toString()));
      return { child, ended: once(child, 'close').then(([code]) => ({ out, code: code as number | null })) };
    }

    it('the program of docs/agents.md lists the tools, asks, and reads an answer that comes when its question is pending', async () => {
      const tenant = await system().tenant();
      const { robot } = await tenant.robot();
      const { ended } = await agentProgram(tenant);
      await questionShown(robot);
      await setTimeout(46_000);
      await robot.tap(...left);
      assert.deepEqual(await ended, { out: '18 tools\nanswered Yes\n', code: 0 });
    });

    it('Ctrl-C in the program of docs/agents.md takes its question away, and a failure has the next step', async () => {
      const tenant = await system().tenant();
      const { robot } = await tenant.robot();
      const { child, ended } = await agentProgram(tenant);
      await questionShown(robot);
      child.kill('SIGINT');
      await robot.until((r) => r.screen.question === null);
      assert.equal((await ended).code, 1);
      await robot.stop();
      assert.match((await (await agentProgram(tenant)).ended).out, /Error: \{"ok":false,.*"code":"robot_offline",.*"next":"Tell the user/);
    });

    it('the MCP configuration in docs/agents.md leads a client to the tools', async () => {
      const configs = (await codeBlocks('docs/agents.md')).filter(({ language, text }) => language === 'json' && text.includes('mcpServers'));
      assert.equal(configs.length, 1);
      const { url, headers, type } = (
        JSON.parse(configs[0]!.text) as { mcpServers: Record<string, { type: string; url: string; headers: Record<string, string> }> }
      ).mcpServers['perch']!;
      assert.equal(type, 'http');
      const tenant = await system().tenant();
      const { pathname } = new URL(url);
      assert.equal(headers['Authorization'], 'Bearer pk_...');
      const client = new Client({ name: 'readme', version: '1.0.0' });
      await client.connect(
        new StreamableHTTPClientTransport(new URL(pathname, system().gateway()), {
          requestInit: { headers: { Authorization: headers['Authorization'].replace('pk_...', tenant.key) } },
        }),
      );
      assert.equal((await client.listTools()).tools.length, 18);
      await client.close();
    });
  },
  [shapes[0]!],
);
