/** The plugin for coding agents: its hook as a process, as a client starts it, with a key for approvals; and its server and versions. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { freePort } from '@perch/testkit';
import { Person, type VirtualRobot } from '@perch/virtual-robot';
import { beforeUse, permission, plugin as source, runHook, type HookEvent, type HookRun } from '../fixture/clients/approval-hook.js';
import { examples } from '../fixture/clients/example.js';
import { answersCount, waitArmed, left, right } from '../fixture/robots/question.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import { shapes, type Tenant } from '../fixture/system/system-under-test.js';

const allowed = { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } };
const denied = (message: string): object => ({ hookEventName: 'PermissionRequest', decision: { behavior: 'deny', message } });
const saidNo = 'The person at the robot said no.';

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
      const { apiKey } = await system().store.apiKeys.create({ account: tenant.account, scopes: ['approve'] });
      env = {
        PERCH_BASE_URL: system().gateway(),
        PERCH_APPROVAL_KEY: apiKey,
        PERCH_API_KEY: tenant.key,
        PERCH_ROBOT: id,
        CLAUDE_PLUGIN_ROOT: plugin,
      };
    });

    /** Runs the command of hooks.json. */
    async function hook(event: HookEvent | string, more: Record<string, string> = {}): Promise<HookRun> {
      const { hooks } = JSON.parse(await readFile(join(plugin, 'hooks/hooks.json'), 'utf8')) as {
        hooks: { PermissionRequest: { hooks: { command: string }[] }[] };
      };
      const run = await runHook(event, { ...env, ...more }, hooks.PermissionRequest[0]!.hooks[0]!.command);
      assert.equal(run.code, 0, run.err);
      return run;
    }

    /** Asks by `event`, and taps once a tap counts. */
    async function answered(event: HookEvent, at: readonly [number, number], more: Record<string, string> = {}): Promise<HookRun> {
      const running = hook(event, more);
      await waitArmed(system(), id, robot);
      await answersCount(robot);
      await robot.tap(...at);
      return running;
    }

    it("the hook passes the person's decision on in the format of its event", async () => {
      const bash = ['Bash', { command: 'rm -rf build' }] as const;
      assert.deepEqual(await answered(permission(...bash), left), { code: 0, output: allowed, err: '' });
      assert.deepEqual((await answered(permission(...bash), right)).output, denied(saidNo));
      const permissionDecisionReason = 'The person at the robot allowed it.';
      const use = await answered(beforeUse(...bash), left);
      assert.deepEqual(use.output, { hookEventName: 'PreToolUse', permissionDecision: 'allow', permissionDecisionReason });
      // The service has the signs of what is not ASCII.
      const refused = await answered(beforeUse('Bash', { command: 'rm ‐rf build' }), right);
      assert.deepEqual(refused.output, { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: saidNo });
    });

    it('the hook asks about a command of several pages, and the person can answer it', async () => {
      const person = new Person(robot, { thinkMs: 50, againMs: 100, approvals: true });
      try {
        const { output } = await hook(permission('Bash', { command: `git log ${'--grep=something '.repeat(25)}` }));
        assert.ok(
          [allowed, denied(saidNo)].some((each) => JSON.stringify(each) === JSON.stringify(output)),
          JSON.stringify(output),
        );
        assert.ok(person.taps.length > 0);
      } finally {
        person.stop();
      }
    });

    it('the hook leaves what the robot cannot show whole to the keyboard, and never asks it at the robot', async () => {
      const before = robot.commands.length;
      const cases: [string, unknown, RegExp][] = [
        ['Bash', { command: [] }, /no command/],
        ['Bash', { command: '' }, /empty/],
        ['Bash', { command: 'git\u200b push' }, /U\+200B/],
        ['Bash', { command: `echo ${'safe '.repeat(900)}; rm -rf /` }, /does not fit/],
        ['Bash', { command: 'echo Ꭳ' }, /no font of the service has \(U\+13A3\)/],
        ['Write', { file_path: '/a', content: 'x\n'.repeat(20_000) }, /too long/],
        ['Edit', { file_path: '/a', old_string: 'x', new_string: 'x' }, /changes nothing/],
        ['mcp__db__query', { command: [] }, /empty/],
        ['AskUserQuestion', { questions: [{ question: 'Which?' }] }, /more than yes or no/],
        ['', { command: 'ls' }, /names no tool/],
      ];
      for (const [tool, input, why] of cases) {
        // Codex, whose events name a turn, runs a tool for which a hook answers `ask` (openai/codex 28437).
        const events = [permission(tool, input), beforeUse(tool, input), { ...beforeUse(tool, input), turn_id: 't' }];
        const [run, use, codex] = (await Promise.all(events.map((event) => hook(event)))) as [HookRun, HookRun, HookRun];
        assert.equal(run.output, null, JSON.stringify(run.output));
        assert.match(run.err, why);
        assert.equal(use.output!['permissionDecision'], 'ask', JSON.stringify(use.output));
        assert.match(String(use.output!['permissionDecisionReason']), why);
        assert.equal(codex.output!['permissionDecision'], 'deny', JSON.stringify(codex.output));
      }
      assert.equal(robot.commands.length, before);
    });

    it('the hook denies when nobody answers, when a newer question replaces it, and when it cannot ask', async () => {
      const { id: away } = await tenant.offlineRobot();
      const event = permission('Bash', { command: 'ls' });
      const replaced = hook(event);
      await waitArmed(system(), id, robot);
      assert.deepEqual((await hook(event, { PERCH_ASK_SECONDS: '2' })).output, denied('No one answered at the robot.'));
      assert.deepEqual((await replaced).output, denied('A newer question or a stop ended this one at the robot.'));
      for (const [why, more] of [
        [/The robot is offline/, { PERCH_ROBOT: away }],
        [/no robot with that id/, { PERCH_ROBOT: 'r-0000000000' }],
        [/The API key is not valid/, { PERCH_APPROVAL_KEY: 'pk_wrong' }],
        [/could not be asked/, { PERCH_BASE_URL: `http://127.0.0.1:${await freePort()}` }],
        [/could not be asked/, { PERCH_BASE_URL: 'nowhere' }],
        [/could not be asked/, { PERCH_ASK_SECONDS: 'soon' }],
        [/PERCH_ROBOT is not set, and the key may not list its robots/, { PERCH_ROBOT: '' }],
      ] as const) {
        const { decision } = (await hook(event, more)).output as unknown as { decision: { behavior: string; message: string } };
        assert.equal(decision.behavior, 'deny');
        assert.match(decision.message, why);
      }
      for (const nonsense of ['rm -rf', '']) assert.equal((await hook(nonsense)).output!['permissionDecision'], 'deny', nonsense);
    });

    it('the hook leaves everything to the keyboard without a key, and asks with the key of 0.10, of which it warns', async () => {
      const without = { PERCH_APPROVAL_KEY: '', PERCH_API_KEY: '' };
      const event = permission('Bash', { command: 'ls' });
      const run = await hook(event, without);
      assert.equal(run.output, null);
      assert.match(run.err, /PERCH_APPROVAL_KEY is not set/);
      assert.equal((await hook(beforeUse('Bash', { command: 'ls' }), without)).output!['permissionDecision'], 'ask');
      const asked = await answered(event, left, { PERCH_APPROVAL_KEY: '', PERCH_ROBOT: '' });
      assert.deepEqual(asked.output, allowed);
      assert.match(asked.err, /asks with PERCH_API_KEY/);
    });

    it('the hook asks a service that does not know deny without it', async () => {
      const bodies: Record<string, unknown>[] = [];
      const older = await olderService(system().gateway(), bodies);
      try {
        const { port } = older.address() as AddressInfo;
        const { output } = await answered(permission('Bash', { command: 'ls' }), left, { PERCH_BASE_URL: `http://127.0.0.1:${port}` });
        assert.deepEqual(output, allowed);
      } finally {
        await new Promise((resolve) => older.close(resolve));
      }
      const asked = { question: '¶ Bash: ls', answers: ['Allow', 'Deny'], whole: true, overflow: 'pages', timeout_s: 110 };
      assert.deepEqual(bodies, [{ ...asked, deny: 1 }, asked]);
    });

    it('examples/approval-hook.mjs is the same hook, which asks for 50 s', async () => {
      const running = runHook(permission('Bash', { command: 'ls' }), env, `node "${examples}approval-hook.mjs"`);
      await waitArmed(system(), id, robot);
      const { args } = robot.commands.find(({ name, args: sent }) => name === 'screen.show' && sent['layer'] === 'question')!;
      assert.ok(Number(args['show_ms']) > 45_000 && Number(args['show_ms']) <= 52_000, String(args['show_ms']));
      await robot.tap(...right);
      assert.deepEqual((await running).output, denied(saidNo));
    });

    it('the server of the plugin has another key than the hook and the tools of the robot, and the plugin has the version of the release', async () => {
      const { mcpServers } = JSON.parse(await readFile(join(plugin, '.mcp.json'), 'utf8')) as {
        mcpServers: { perch: { url: string; headers: Record<string, string> } };
      };
      const expanded = (text: string): string => text.replaceAll(/\$\{(\w+)(?::-[^}]*)?\}/g, (_, name: string) => env[name]!);
      const { url, headers } = mcpServers.perch;
      assert.ok(!JSON.stringify(mcpServers).includes('PERCH_APPROVAL_KEY'));
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

/** Refuses `deny`, as a gateway of 0.10 refuses every argument that it does not know, and passes everything else on. */
async function olderService(gateway: string, bodies: Record<string, unknown>[]): Promise<Server> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = await text(request);
    const body = JSON.parse(sent) as Record<string, unknown>;
    bodies.push(body);
    response.setHeader('content-type', 'application/json');
    if ('deny' in body) {
      const refusal = { ok: false, error: 'deny: is not an argument of ask', code: 'bad_argument', request_id: 'gw-1', field: 'deny' };
      response.writeHead(400).end(JSON.stringify(refusal));
      return;
    }
    const headers = { authorization: request.headers.authorization!, 'content-type': 'application/json' };
    const passedOn = await fetch(`${gateway}${request.url}`, { method: 'POST', headers, body: sent });
    response.writeHead(passedOn.status).end(await passedOn.text());
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
