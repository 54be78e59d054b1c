/** The plugin for coding agents: its hook as a process without packages, as a client starts it, and its server and versions. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Person, type VirtualRobot } from '@perch/virtual-robot';
import { waitArmed, left, right } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes, type Tenant } from '../fixture/system/system-under-test.js';

const source = fileURLToPath(new URL('../../plugins/perch/', import.meta.url));

interface Decision {
  behavior: string;
  message?: string;
}

onSharedSystems(
  'the plugin for coding agents',
  (system) => {
    let plugin: string;
    let tenant: Tenant;
    let id: string;
    let robot: VirtualRobot;
    let env: Record<string, string>;
    before(async () => {
      plugin = await mkdtemp(join(tmpdir(), 'perch-plugin-'));
      await cp(source, plugin, { recursive: true });
    });
    after(() => rm(plugin, { recursive: true, force: true }));
    beforeEach(async () => {
      tenant = await system().tenant();
      ({ id, robot } = await tenant.robot({ instant: true }));
      env = { PERCH_BASE_URL: system().gateway(), PERCH_API_KEY: tenant.key, PERCH_ROBOT: id };
    });

    /** Runs the command of hooks.json in a shell, as a client does. @returns its standard output */
    async function hook(command: string, more: Record<string, string> = {}): Promise<string> {
      const { hooks } = JSON.parse(await readFile(join(plugin, 'hooks/hooks.json'), 'utf8')) as {
        hooks: { PermissionRequest: { hooks: { command: string }[] }[] };
      };
      const line = hooks.PermissionRequest[0]!.hooks[0]!.command;
      const child = spawn('sh', ['-c', line], { cwd: plugin, env: { ...process.env, ...env, ...more, CLAUDE_PLUGIN_ROOT: plugin }, stdio: 'pipe' });
      let out = '';
      let err = '';
      child.stdout.on('data', (chunk) => (out += chunk));
      child.stderr.on('data', (chunk) => (err += chunk));
      child.stdin.on('error', () => {});
      child.stdin.end(JSON.stringify({ session_id: 's', hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: { command } }));
      const code = await new Promise((resolve) => child.once('close', resolve));
      assert.deepEqual([code, err], [0, '']);
      return out;
    }

    const decided = async (out: Promise<string>): Promise<Decision> => {
      const { hookSpecificOutput } = JSON.parse(await out) as { hookSpecificOutput: { hookEventName: string; decision: Decision } };
      assert.equal(hookSpecificOutput.hookEventName, 'PermissionRequest');
      return hookSpecificOutput.decision;
    };

    it('the hook of the plugin allows a command after a tap on Allow, and denies it after a tap on Deny', async () => {
      const allowed = hook('npm test');
      await waitArmed(system(), id, robot);
      await robot.tap(...left);
      assert.deepEqual(await decided(allowed), { behavior: 'allow' });
      const denied = hook('npm test');
      await waitArmed(system(), id, robot);
      await robot.tap(...right);
      assert.deepEqual(await decided(denied), { behavior: 'deny', message: 'The person at the robot said no.' });
    });

    it('the hook of the plugin asks about a command of several pages, and the person can answer it', async () => {
      const person = new Person(robot, { thinkMs: 50, againMs: 100 });
      try {
        const { behavior, message } = await decided(hook(`git log ${'--grep=something '.repeat(25)}`));
        assert.ok(behavior === 'allow' || message === 'The person at the robot said no.', message);
        assert.ok(person.taps.length > 0);
      } finally {
        person.stop();
      }
    });

    it('the hook of the plugin denies a command that no number of pages shows, and every failure, without a question', async () => {
      const before = robot.commands.length;
      for (const [command, more, why] of [
        [`echo ${'safe '.repeat(900)}; rm -rf /`, {}, 'The question could not be asked'],
        ['ls', { PERCH_API_KEY: 'pk_wrong' }, 'The API key is not valid'],
        ['ls', { PERCH_ROBOT: 'r-0000000000' }, 'The question could not be asked'],
        ['ls', { PERCH_BASE_URL: 'http://127.0.0.1:9' }, 'The question could not be asked'],
      ] as const) {
        const { behavior, message } = await decided(hook(command, more));
        assert.equal(behavior, 'deny');
        assert.ok(message?.includes(why), message);
      }
      assert.equal(robot.commands.length, before);
    });

    it('the hook of the plugin decides nothing without a key, so that the agent asks at the keyboard', async () => {
      assert.equal(await hook('ls', { PERCH_API_KEY: '' }), '');
    });

    it('the hook of the plugin and examples/approval-hook.mjs describe a command, name a denial and write a decision with the same code', async () => {
      const texts = await Promise.all(
        [join(source, 'hooks/approval-hook.mjs'), fileURLToPath(new URL('../../examples/approval-hook.mjs', import.meta.url))].map((file) =>
          readFile(file, 'utf8'),
        ),
      );
      const shared = texts.map((text) => ({
        outcomes: /^ {2}if \(outcome === 'answered'\)[^]*?^}/m.exec(text)?.[0],
        check: /^ {2}if \(typeof tool !== 'string'\).*$/m.exec(text)?.[0],
        functions: text.slice(text.indexOf('function inputText(')),
        output: /process\.stdout\.write\(.*$/m.exec(text)?.[0],
      }));
      for (const part of Object.values(shared[0]!)) assert.ok(part !== undefined && part.length > 30, part);
      assert.ok(shared[0]!.functions.includes('function decision('));
      assert.deepEqual(shared[0], shared[1]);
    });

    it('the server of the plugin has the tools of the robot, and the plugin has the version of the release', async () => {
      const { mcpServers } = JSON.parse(await readFile(join(plugin, '.mcp.json'), 'utf8')) as {
        mcpServers: { perch: { url: string; headers: Record<string, string> } };
      };
      const expanded = (text: string): string => text.replaceAll(/\$\{(\w+)(?::-[^}]*)?\}/g, (_, name: string) => env[name]!);
      const { url, headers } = mcpServers.perch;
      const client = new Client({ name: 'plugin', version: '1.0.0' });
      const requestInit = { headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, expanded(value)])) };
      await client.connect(new StreamableHTTPClientTransport(new URL(expanded(url)), { requestInit }));
      const tools = (await client.listTools()).tools.map(({ name }) => name);
      await client.close();
      const skill = await readFile(join(plugin, 'skills/perch/SKILL.md'), 'utf8');
      for (const [, name] of skill.matchAll(/`(robot_[a-z]+)`/g)) assert.ok(tools.includes(name!), name);
      const release = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
      const manifest = JSON.parse(await readFile(join(plugin, '.claude-plugin/plugin.json'), 'utf8')) as { version: string; name: string };
      assert.deepEqual([manifest.name, manifest.version], ['perch', release.version]);
    });
  },
  [shapes[0]!],
);
