import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findRedisServer } from '@perch/local-redis';
import { needsRedisServer, skipTest, toolCache, until } from '@perch/testkit';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const anyPorts = ['--port', '0', '--link-port', '0'];

interface Ready {
  base_url: string;
  link_url: string;
  gateways: string[];
  links: string[];
  redis_url: string;
  account: string;
  api_key: string;
  robot: string;
  robot_token: string;
  sign_in_url: string;
}

/** One start and its output. */
class Start {
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
  out = '';
  err = '';

  constructor(args: string[], state: string, env: Record<string, string> = {}) {
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PERCH_')));
    const ours = { PERCH_STATE_DIR: state, PERCH_TEST_CACHE: toolCache(process.env) };
    this.process = spawn(process.execPath, [main, ...args], { env: { ...clean, ...ours, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    this.process.stdout?.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    this.process.stderr?.on('data', (chunk: Buffer) => (this.err += chunk.toString()));
    this.ended = once(this.process, 'close').then(([code]) => code as number | null);
  }

  async ready(): Promise<Ready> {
    await until(() => this.out.includes('\n') || this.process.exitCode !== null, { timeoutMs: 60_000, what: 'the start to be ready' });
    assert.equal(this.process.exitCode, null, this.err);
    return JSON.parse(this.out) as Ready;
  }

  async end(): Promise<number | null> {
    this.process.kill('SIGTERM');
    return this.ended;
  }
}

/** Returns all descendants of a process, by the parent pids in `/proc`. */
function descendants(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(Number(name))] as const);
  const below = (of: number): number[] => parents.filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...below(child)]);
  return below(pid);
}

function parentOf(pid: number): number {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function pathWithoutRedis(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.filter((folder) => findRedisServer({ PATH: folder, PERCH_TEST_CACHE: '/nowhere' }) === null).join(delimiter);
}

async function robotOf(ready: Ready, gateway = ready.base_url): Promise<{ online: boolean }> {
  const response = await fetch(`${gateway}/v1/robots/${ready.robot}`, { headers: { authorization: `Bearer ${ready.api_key}` } });
  assert.equal(response.status, 200);
  return (await response.json()) as { online: boolean };
}

async function ask(ready: Ready, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${ready.base_url}/v1/robots/${ready.robot}/ask`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ready.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Record<string, unknown>;
}

describe('npm start', function () {
  this.timeout(180_000);
  let state = '';
  const starts: Start[] = [];

  before(function () {
    if (!readdirSync('/').includes('proc')) skipTest(this, 'the list of processes is read from /proc');
  });
  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), 'perch state '));
  });
  afterEach(async () => {
    for (const one of starts.splice(0)) if (one.process.exitCode === null && one.process.signalCode === null) await one.end();
    rmSync(state, { recursive: true, force: true });
  });

  function start(args: string[], env: Record<string, string> = {}): Start {
    const one = new Start(args, state, env);
    starts.push(one);
    return one;
  }

  it('keeps the events and their numbering without a gap after Ctrl-C and another start', async function () {
    const binary = findRedisServer(process.env);
    if (binary === null) return skipTest(this, 'the embedded Redis does not persist data');
    const read = async (ready: Ready, query = ''): Promise<{ events: { seq: number; name: string }[]; first_seq: number }> => {
      const headers = { authorization: `Bearer ${ready.api_key}` };
      const response = await fetch(`${ready.base_url}/v1/robots/${ready.robot}/events${query}`, { headers });
      return (await response.json()) as { events: { seq: number; name: string }[]; first_seq: number };
    };
    let before: { seq: number; name: string }[] = [];
    for (let round = 0; round < 3; round++) {
      const system = start(['--json', ...anyPorts]);
      const ready = await system.ready();
      const next = await read(ready, `?after=${before.length}&seconds=20`);
      assert.ok(next.first_seq <= before.length + 1, 'no gap for a reader that goes on');
      const { events, first_seq: firstSeq } = await read(ready);
      assert.ok(events.length > before.length, 'the robot connected');
      assert.deepEqual(events.slice(0, before.length), before);
      assert.deepEqual(
        events.map(({ seq }) => seq),
        events.map((_, i) => i + 1),
      );
      assert.equal(firstSeq, 1);
      before = events;
      system.process.kill('SIGINT');
      assert.equal(await system.ended, 0);
    }
  });

  it('prints exactly one line with --json, once all gateways answer and the robot is online', async () => {
    const system = start(['--json', ...anyPorts, '--gateways', '2', '--links', '2']);
    const ready = await system.ready();
    assert.equal(ready.gateways.length, 2);
    assert.equal(ready.links.length, 2);
    assert.equal(ready.base_url, ready.gateways[0]);
    assert.equal(ready.link_url, ready.links[0]);
    for (const address of ready.gateways) assert.match(address, /^http:\/\/127\.0\.0\.1:\d+$/);
    for (const address of ready.links) assert.match(address, /^ws:\/\/127\.0\.0\.1:\d+\/robot\/v1\/link$/);
    for (const gateway of ready.gateways) assert.equal((await robotOf(ready, gateway)).online, true);
    const answer = await ask(ready, { question: 'Tea or coffee?', answers: ['Tea', 'Coffee'] });
    assert.equal(answer['outcome'], 'answered');

    assert.equal(await system.end(), 0);
    assert.equal(system.out.split('\n').length, 2, system.out);
  });

  it('prints a sign-in URL for the demo account that works once', async () => {
    const ready = await start(['--json', ...anyPorts, '--no-robot']).ready();
    const [page, link = ''] = ready.sign_in_url.split('#sign-in=');
    assert.equal(page, `${ready.base_url}/`);
    const signIn = () =>
      fetch(`${ready.base_url}/console/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ link }),
      });
    const session = (await (await signIn()).json()) as { account: { id: string } };
    assert.equal(session.account.id, ready.account);
    assert.equal((await signIn()).status, 401);
  });

  it('answers clickmaps with a tap of the simulated person inside a rectangle, a circle and a polygon', async () => {
    const ready = await start(['--json', ...anyPorts]).ready();
    const shapes = [
      { id: 'rect', rect: [200, 10, 40, 30] },
      { id: 'circle', circle: [40, 200, 12] },
      {
        id: 'polygon',
        polygon: [
          [100, 100],
          [140, 100],
          [120, 140],
        ],
      },
    ];
    for (const region of shapes) {
      const response = await fetch(`${ready.base_url}/v1/robots/${ready.robot}/clickmap`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ready.api_key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ regions: [region], timeout_s: 30 }),
      });
      const { outcome, region: tapped } = (await response.json()) as { outcome: string; region: string };
      assert.deepEqual([outcome, tapped], ['answered', region.id]);
    }
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`stops promptly on ${signal} while a question is open and leaves no process running`, async () => {
      const system = start(['--json', ...anyPorts, '--person', 'none']);
      const ready = await system.ready();
      const processes = descendants(system.process.pid!);
      assert.ok(processes.length >= 4, 'three services and a Redis');
      const open = ask(ready, { question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 60 }).catch(() => null);
      await until(async () => JSON.stringify(await robotOf(ready)).includes('"question":"'), {
        what: 'the question to show',
        everyMs: 200,
        timeoutMs: 20_000,
      });

      const began = performance.now();
      system.process.kill(signal);
      assert.equal(await system.ended, 0, system.err);
      // The question would be open for 60 s.
      assert.ok(performance.now() - began < 30_000);
      await until(() => !processes.some(isAlive), { timeoutMs: 10_000, what: 'all processes to end' });
      await open;
    });
  }

  it('leaves no process running after npm start was killed with SIGKILL', async () => {
    const system = start(['--json', ...anyPorts]);
    await system.ready();
    const processes = descendants(system.process.pid!);
    assert.ok(processes.length >= 4, 'three services and a Redis');
    system.process.kill('SIGKILL');
    await until(() => !processes.some(isAlive), { timeoutMs: 40_000, what: 'all processes to end' });
  });

  it('names a busy port on stderr and prints nothing to stdout', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const busy = String((server.address() as AddressInfo).port);
    for (const args of [
      ['--port', busy, '--link-port', '0'],
      ['--port', '0', '--link-port', busy],
    ]) {
      const system = start(['--json', ...args]);
      assert.equal(await system.ended, 1);
      assert.match(system.err, new RegExp(`port ${busy} is busy`));
      assert.equal(system.out, '');
    }
    server.close();
  });

  it('saves account, key and robot for the next start in a file with mode 0600', async function () {
    needsRedisServer(this);
    const first = start(['--json', ...anyPorts, '--no-robot']);
    const { account, api_key, robot, robot_token } = await first.ready();
    await first.end();
    assert.equal(statSync(join(state, 'demo.json')).mode & 0o777, 0o600);
    const again = await start(['--json', ...anyPorts, '--no-robot']).ready();
    assert.deepEqual([again.account, again.api_key, again.robot, again.robot_token], [account, api_key, robot, robot_token]);
    assert.equal((await robotOf(again)).online, false);
  });

  it('can run at the same time as another start of the same checkout', async () => {
    const first = await start(['--json', ...anyPorts]).ready();
    const second = await start(['--json', ...anyPorts]).ready();
    assert.notEqual(second.redis_url, first.redis_url);
    assert.equal((await robotOf(first)).online, true);
    assert.equal((await robotOf(second)).online, true);
  });

  it('starts a replacement for a service that was killed', async () => {
    const system = start(['--json', ...anyPorts]);
    const ready = await system.ready();
    const [pid] = descendants(system.process.pid!).filter((one) => readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('gateway'));
    process.kill(pid!, 'SIGKILL');
    await until(() => /gateway .* exited with SIGKILL: starting a replacement/.test(system.err), { timeoutMs: 20_000 });
    await until(async () => (await robotOf(ready)).online, { timeoutMs: 30_000, what: 'the gateway to answer again', everyMs: 200 });
  });

  it('uses the embedded Redis if there is no other, and warns that it does not persist data', async () => {
    const system = start(['--json', ...anyPorts], { PATH: pathWithoutRedis(), PERCH_TEST_CACHE: '/nowhere' });
    const ready = await system.ready();
    assert.match(system.err, /does not persist data/);
    assert.equal((await ask(ready, { question: 'Tea or coffee?', answers: ['Tea', 'Coffee'] }))['outcome'], 'answered');
    assert.equal(await system.end(), 0, system.err);
  });

  it('uses the Redis server that npm test downloaded if none is on PATH, and persists its files', async function () {
    const binary = needsRedisServer(this);
    const cache = join(state, 'cache');
    // Stands in for the unpacked Debian package, with the server of this machine.
    mkdirSync(join(cache, 'redis-server/usr/bin'), { recursive: true });
    const script = `#!/bin/sh\nLD_LIBRARY_PATH='${binary.libraryPath ?? ''}' exec '${binary.path}' "$@"\n`;
    writeFileSync(join(cache, 'redis-server/usr/bin/redis-server'), script, { mode: 0o755 });
    const system = start(['--json', ...anyPorts, '--no-robot'], { PATH: pathWithoutRedis(), PERCH_TEST_CACHE: cache });
    await system.ready();
    assert.match(system.err, /Redis: redis-server \(downloaded by npm test\), files in /);
    assert.equal(await system.end(), 0, system.err);
  });

  it('prints its options with --help, and refuses unknown options', async () => {
    const help = start(['--help']);
    assert.equal(await help.ended, 0);
    assert.match(help.out, /--no-robot/);
    const wrong = start(['--wrong']);
    assert.equal(await wrong.ended, 2);
    assert.match(wrong.err, /--wrong.*--help/);
  });
});
