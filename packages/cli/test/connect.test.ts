import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from '@perch/cli';
import { parse } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { agentClients, type AgentClient, type Scope } from '../src/connect/agent-clients.js';

const clients = Object.entries(agentClients) as [string, AgentClient][];
const key = 'pk_0123456789secret';

/** A file as its users write it, with another server, comments where the format has them, and other settings. */
const existing: Record<string, string> = {
  'claude-code': '{\n    "numStartups": 7,\n    "mcpServers": {\n        "other": { "command": "other" }\n    }\n}\n',
  'claude-desktop': '{"mcpServers": {"other": {"command": "other"}}, "theme": "dark"}',
  codex:
    '# My settings\nmodel = "o9"\n\n[mcp_servers.other] # theirs\ncommand = "other"\n\n# Of projects\n[projects."/home/me"]\ntrust_level = "trusted"\n',
  cursor: '{\n\t"mcpServers": {\n\t\t"other": { "url": "http://127.0.0.1:1/mcp" }\n\t}\n}\n',
  vscode:
    '{\n  // Servers of my team\n  "servers": {\n    "other": { "type": "http", "url": "http://127.0.0.1:1/mcp" }, // theirs\n  },\n  "inputs": [{ "type": "promptString", "id": "theirs" }],\n}\n',
  gemini: '{\n  "mcpServers": { "other": { "httpUrl": "http://127.0.0.1:1/mcp" } },\n  "ui": { "theme": "Default" }\n}\n',
};

describe('perch connect', () => {
  let home: string;
  let folder: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'perch-connect-'));
    folder = join(home, 'project');
    await mkdir(folder);
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  async function perch(args: readonly string[], answer?: string): Promise<{ code: number; out: string; err: string; asked: string[] }> {
    let out = '';
    let err = '';
    const asked: string[] = [];
    const code = await runProgram(['connect', ...args], {
      environment: { HOME: home, PERCH_BASE_URL: 'https://perch.example.org/', PERCH_API_KEY: key },
      out: (text) => (out += text),
      err: (text) => (err += text),
      folder,
      ...(answer !== undefined && {
        ask: async (question) => {
          asked.push(question);
          return answer;
        },
      }),
    });
    return { code, out, err, asked };
  }

  const fileOf = (client: AgentClient, scope: Scope = 'user'): string =>
    client.file(scope, { home, project: folder, environment: {}, platform: process.platform });
  const parsed = (client: AgentClient, text: string): Record<string, Record<string, unknown>> =>
    JSON.parse(JSON.stringify(client.form === 'toml' ? parseToml(text) : parse(text))) as Record<string, Record<string, unknown>>;

  for (const [name, client] of clients) {
    const [servers] = client.at as [string, string];
    const write = async (text: string): Promise<void> => {
      await mkdir(dirname(fileOf(client)), { recursive: true });
      await writeFile(fileOf(client), text);
    };
    const read = (): Promise<string> => readFile(fileOf(client), 'utf8');

    it(`perch connect ${name} writes a new file, also in place of an empty one, after showing it`, async () => {
      const { code, out, err } = await perch([name, '--yes']);
      assert.equal(code, 0, err);
      assert.ok(out.startsWith(`written: ${fileOf(client)}\n`), out);
      assert.ok(err.includes(fileOf(client)) && err.includes('+'), err);
      const first = await read();
      assert.deepEqual(Object.keys(parsed(client, first)[servers]!), ['perch']);
      assert.ok(first.includes('https://perch.example.org/mcp'), first);
      assert.equal(first.includes(key), !client.keyless);
      assert.equal(err.includes(key), false, 'the key is shown');
      assert.equal((await stat(fileOf(client))).mode & 0o777, client.keyless ? 0o644 : 0o600);
      await writeFile(fileOf(client), '');
      await perch([name, '--yes']);
      assert.equal(await read(), first);
    });

    it(`perch connect ${name} keeps the other servers, settings and comments of a file, and its mode`, async () => {
      await write(existing[name]!);
      await chmod(fileOf(client), 0o640);
      const { code, err } = await perch([name, '--yes']);
      assert.equal(code, 0, err);
      const text = await read();
      const { perch: own, ...others } = parsed(client, text)[servers]!;
      const { [servers]: before, inputs: _, ...rest } = parsed(client, existing[name]!);
      const { [servers]: _servers, inputs, ...restAfter } = parsed(client, text);
      assert.ok(own !== undefined);
      assert.deepEqual(others, before);
      assert.deepEqual(restAfter, rest);
      if (name === 'vscode')
        assert.deepEqual(
          (inputs as unknown as { id: string }[]).map(({ id }) => id),
          ['theirs', 'perch-api-key'],
        );
      for (const [comment] of existing[name]!.matchAll(/(?:\/\/|#) [A-Za-z ]+/g)) assert.ok(text.includes(comment), `${comment} is lost:\n${text}`);
      assert.equal((await stat(fileOf(client))).mode & 0o777, 0o640);
      assert.deepEqual(
        (await readdir(dirname(fileOf(client)))).filter((file) => file.startsWith(`${fileOf(client)}.`)),
        [],
      );
    });

    it(`perch connect ${name} replaces an entry perch, and changes nothing the second time`, async () => {
      await write(existing[name]!);
      await perch([name, '--yes', '--base-url', 'http://127.0.0.1:8080']);
      const { code } = await perch([name, '--yes']);
      assert.equal(code, 0);
      const text = await read();
      assert.equal(text.includes('127.0.0.1:8080'), false, text);
      const { out } = await perch([name, '--yes', '--json']);
      assert.deepEqual(JSON.parse(out), { ok: true, file: fileOf(client), changed: false });
      assert.equal(await read(), text);
    });

    it(`perch connect ${name} changes nothing of a file that it cannot read, or that is broken`, async () => {
      for (const text of client.form === 'toml'
        ? ['[mcp_servers', 'mcp_servers = { other = { command = "other" } }\n']
        : ['{"mcpServers": ', '[]', `{"${servers}": 7}`]) {
        await write(text);
        const { code, err } = await perch([name, '--yes']);
        assert.equal(code, 1, text);
        assert.ok(err.includes('is not changed'), err);
        assert.equal(await read(), text);
      }
      await rm(fileOf(client));
      await mkdir(fileOf(client));
      const { code, err } = await perch([name, '--yes']);
      assert.deepEqual([code, /cannot be read \(EISDIR\)/.test(err)], [1, true], err);
    });

    it(`perch connect ${name} writes only after a yes, and --print writes nothing`, async () => {
      for (const answer of ['', 'n', 'maybe', undefined]) assert.equal((await perch([name], answer)).code, 1);
      const printed = await perch([name, '--print']);
      assert.equal(printed.code, 0, printed.err);
      assert.ok(printed.out.includes('https://perch.example.org/mcp') && !printed.out.includes(key), printed.out);
      await assert.rejects(stat(fileOf(client)));
      const { code, asked } = await perch([name], 'y');
      assert.deepEqual([code, asked], [0, ['Write it? [y/N] ']]);
      await stat(fileOf(client));
    });
  }

  it('perch connect writes the file of a project without the key, and with --write-key says that the key is in it', async () => {
    for (const [name, client] of clients) {
      if (!client.scopes.includes('project')) {
        assert.equal((await perch([name, '--scope', 'project', '--yes'])).code, 64);
        continue;
      }
      const file = fileOf(client, 'project');
      assert.ok(file.startsWith(folder), file);
      await perch([name, '--scope', 'project', '--yes']);
      assert.equal((await readFile(file, 'utf8')).includes(key), false);
      const { code, err } = await perch([name, '--scope', 'project', '--yes', '--write-key']);
      assert.equal(code, 0, err);
      assert.match(err, /The API key itself is written to this file, which is in the project: do not commit it\./);
      assert.ok((await readFile(file, 'utf8')).includes(key));
    }
  });
});
