/**
 * `npm run docker`: makes the images and runs docker-compose.yml on a Docker engine, in a project and a folder of its own: an account, a robot and a
 * question through the published ports, two restarts of Redis, a changed setting under load, and a stop and start of everything.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setUp } from '../../scripts/set-up.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const help = `Runs docker-compose.yml on a Docker engine and checks that it keeps what it must. Needs docker with its plugins compose and buildx, and ports
of 127.0.0.1. The containers, volumes and networks of the run are removed at the end.

  npm run docker -- [options]

  --stand-ins    where no registry can be reached: makes base images from Debian trixie (root and debootstrap are needed) and npm's Node.js 24, once;
                 the output says which image stands in for which
  --no-build     uses the images of the run before

PERCH_BUILD_CA (default: NODE_EXTRA_CA_CERTS) and PERCH_BUILD_NPMRC name the files that the build takes as secrets. The logs of all containers
are in .perch/docker.log after a failure. Exits with 1 if a step failed.
`;
const { values } = parseArgs({
  options: {
    'stand-ins': { type: 'boolean' },
    'no-build': { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}
if ((await setUp()) !== null) process.exit(2);
const { startVirtualRobot } = await import('../../packages/virtual-robot/dist/index.js');

/** Repository of an image of docker-compose.yml, and the target of stand-ins.Dockerfile that stands in for it. */
const standIns = new Map([
  ['redis', 'redis'],
  ['haproxy', 'haproxy'],
  ['prom/prometheus', 'prometheus'],
  ['prom/alertmanager', 'alertmanager'],
  ['oliver006/redis_exporter', 'redis-exporter'],
  ['grafana/grafana', 'grafana'],
]);
const debian = 'perch-stand-in/debian:trixie';
const instances = ['renderer', 'webhooks', 'robot-link', 'gateway'].flatMap((kind) => [1, 2].map((number) => `${kind}-${number}`));
/** Between the calls of each of three programs: a key may do 10 actions a second. */
const callPauseMs = 300;
/** Redis writes its file once a second (appendfsync everysec): what is older survives a kill. */
const savedMs = 3000;

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const revision = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout?.trim() || 'unknown';
const folder = mkdtempSync(join(tmpdir(), 'perch-docker-'));
const project = basename(folder).toLowerCase();
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:PERCH|COMPOSE)_/.test(name)));
env.COMPOSE_PROJECT_NAME = project;

let passed = 0;
let failed = 0;
let robot = null;
const running = new Set();
process.once('SIGINT', () => void end(130)).once('SIGTERM', () => void end(143));

class Stop extends Error {}
try {
  await main();
} catch (error) {
  if (!(error instanceof Stop)) {
    failed += 1;
    print(`FAILED     ${error.stack}`);
  }
} finally {
  await end(failed === 0 ? 0 : 1);
}

async function main() {
  await needed('a Docker engine answers', engine);
  cpSync(root, folder, { recursive: true, filter: (path) => !/[/\\](?:\.git|\.perch|\.env|node_modules|dist|coverage)$/.test(path) });
  const [port, robotsPort, ...others] = await freePorts(5);
  const settings = {
    PERCH_PORT: port,
    PERCH_ROBOTS_PORT: robotsPort,
    PERCH_PUBLIC_URL: `http://127.0.0.1:${port}`,
    PERCH_LINK_PUBLIC_URL: `ws://127.0.0.1:${robotsPort}/robot/v1/link`,
    PROMETHEUS_PORT: others[0],
    ALERTMANAGER_PORT: others[1],
    GRAFANA_PORT: others[2],
    PERCH_IMAGES: 'perch-docker',
    PERCH_BUILD_REVISION: revision,
    PERCH_BUILD_CA: process.env.PERCH_BUILD_CA ?? process.env.NODE_EXTRA_CA_CERTS,
    PERCH_BUILD_NPMRC: process.env.PERCH_BUILD_NPMRC,
  };
  writeSettings(settings);
  if (values['stand-ins']) await needed('base images are made from Debian and npm', makeStandIns);
  else await needed('the images of others are there or can be pulled (without a registry: --stand-ins)', pull);
  await writeOverride();
  if (!values['no-build']) await needed('docker compose build', () => compose('--profile', '*', 'build', '--quiet'));
  await step('the images of Perch are labelled with version and revision', imageLabels);
  await needed('docker compose up --detach --wait, from an empty folder', () => compose('up', '--detach', '--wait'));
  await step('every container is healthy and none restarted', healthy);

  const key = {};
  const baseUrl = settings.PERCH_PUBLIC_URL;
  await needed('docker compose run --rm perch account add makes an account, a robot and a key', async () => {
    Object.assign(key, JSON.parse(await perch('account', 'add', '--email', 'you@example.com', '--with-robot', '--with-key', '--json')));
    return key.robot;
  });
  const api = (path, body, token = key.api_key) => call(baseUrl, token, path, body);
  const ask = async () => {
    const { outcome, answer } = await api(`/v1/robots/${key.robot}/ask`, { question: 'Is it there?', answers: ['Yes', 'No'], timeout_s: 40 });
    if (outcome !== 'answered') throw new Error(`outcome ${outcome}`);
    return answer;
  };
  await needed('a robot connects through the published port', async () => {
    robot = await startVirtualRobot({ baseUrl: settings.PERCH_LINK_PUBLIC_URL, token: key.robot_token, reconnect: { maxMs: 3000 } });
  });
  await step('a question is answered through the published port', ask);
  await needed('docker compose run --rm perch probe add prints what the probe needs', async () => {
    const lines = [...(await perch('probe', 'add', '--name', 'compose')).matchAll(/^(PERCH_PROBE_\w+)=(\S+)$/gm)];
    if (lines.length !== 2) throw new Error(`${lines.length} lines of settings`);
    // They stay in .env, so that apply.sh and what follows it run the probe, too.
    Object.assign(settings, { COMPOSE_PROFILES: 'probe' }, ...lines.map(([, name, value]) => ({ [name]: value })));
    writeSettings(settings);
  });
  await step('docker compose up --detach --wait probe: both checks succeed through HAProxy, and Prometheus sees it', async () => {
    await compose('up', '--detach', '--wait', 'probe');
    const query = new URLSearchParams({ query: 'sum by (check) (perch_probe_checks_total{outcome="ok"}) > 0' });
    await eventually(async () => {
      const response = await fetch(`http://127.0.0.1:${settings.PROMETHEUS_PORT}/api/v1/query?${query}`, { signal: AbortSignal.timeout(10_000) });
      const checks = (await response.json()).data.result.map(({ metric }) => metric.check).toSorted();
      if (checks.join() !== 'call,question') throw new Error(`succeeded: ${checks.join() || 'none'}`);
    });
  });
  const saved = {};
  await needed('a label, events, a second key, a wait and the ledger are saved', async () => {
    await perch('robot', 'label', key.robot, 'room=r7');
    saved.key = JSON.parse(await perch('key', 'add', '--account', key.account, '--name', 'saved', '--json')).api_key;
    const { wait } = await api(`/v1/robots/${key.robot}/ask`, { question: 'Saved?', answers: ['Yes', 'No'], timeout_s: 60, detach: true });
    saved.wait = wait;
    await eventually(async () => {
      const { outcome } = await api(`/v1/waits/${wait}?seconds=5`);
      if (outcome !== 'answered') throw new Error(`the wait is ${outcome}`);
    });
    saved.events = (await api(`/v1/robots/${key.robot}/events?after=0`)).events;
    saved.ledger = await eventually(async () => {
      const { activity } = await api('/v1/activity?limit=100');
      if (!activity.some(({ action }) => action === 'ask')) throw new Error('no question is in the ledger');
      return activity;
    });
    if (saved.events.length === 0) throw new Error('no event was stored');
    return `${saved.events.length} events, ${saved.ledger.length} entries of the ledger`;
  });
  /** Checks that what was saved is there, and that the robot answers a question. */
  const allThere = async () => {
    const check = async (name, work) =>
      eventually(work).then(
        (found) => (found ? [] : [name]),
        (error) => [`${name} (${error.message})`],
      );
    const lost = await Promise.all([
      check('the robot is online', async () => (await api(`/v1/robots/${key.robot}`)).online === true || Promise.reject(new Error('offline'))),
      check('label', async () => (await api('/v1/robots?label=room=r7')).robots.length === 1),
      check('second key', async () => (await api('/v1/robots', undefined, saved.key)).ok === true),
      check('wait', async () => (await api(`/v1/waits/${saved.wait}`)).outcome === 'answered'),
      check('events', async () => {
        const { events, last_seq } = await api(`/v1/robots/${key.robot}/events?after=0`);
        const same = saved.events.every((event) => events.some((one) => one.seq === event.seq && one.name === event.name));
        if (!same) throw new Error(`${events.length} events, last_seq ${last_seq}, after ${saved.events.length} up to ${saved.events.at(-1).seq}`);
        return true;
      }),
      check('ledger', async () => {
        const { activity } = await api('/v1/activity?limit=100&after=0');
        const lost = saved.ledger.filter(({ seq, action }) => !activity.some((one) => one.seq === seq && one.action === action));
        if (lost.length > 0) throw new Error(`${lost.length} of ${saved.ledger.length} entries`);
        return true;
      }),
      check('a new question', async () => (await ask()) !== undefined),
    ]);
    if (lost.flat().length > 0) throw new Error(`lost: ${lost.flat().join('; ')}`);
  };

  await pause(savedMs);
  await step('docker compose restart redis', () => compose('restart', 'redis'));
  await step('all of it is there after a clean restart of Redis', allThere);
  await pause(savedMs);
  await step('docker compose kill -s KILL redis, and up', async () => {
    await compose('kill', '-s', 'KILL', 'redis');
    await compose('up', '--detach', '--wait', 'redis');
  });
  await step('all of it is there after a kill of Redis', allThere);
  await step('every container is healthy and none restarted', healthy);

  await step('sh deploy/compose/apply.sh applies a changed setting to every instance; no call of a program fails', async () => {
    writeSettings({ ...settings, PERCH_LOG_LEVEL: 'warn' });
    const load = startLoad({
      state: () => api(`/v1/robots/${key.robot}`),
      face: () => api(`/v1/robots/${key.robot}/face`, { emotion: 'happy' }),
      ask,
    });
    try {
      await run('sh', ['deploy/compose/apply.sh']);
    } finally {
      load.stop();
    }
    const { calls, failures } = await load.ended;
    const unchanged = [];
    for (const { service, id } of await containers()) {
      if (!instances.includes(service)) continue;
      const variables = JSON.parse(await run('docker', ['inspect', '--format', '{{json .Config.Env}}', id]));
      if (!variables.includes('PERCH_LOG_LEVEL=warn')) unchanged.push(service);
    }
    const said = `${calls} calls, ${failures.length} failed`;
    if (failures.length > 0 || unchanged.length > 0)
      throw new Error(`${said}; ${failures.slice(0, 3).join('; ')}; not changed: ${unchanged.join(', ')}`);
    return said;
  });
  await step('all of it is there after the change', allThere);
  await step('every container is healthy and none restarted', healthy);
  await step('Redis and the others logged no CRITICAL', noCritical);

  const [servicesPassword, operatorPassword] = [1, 2].map(() => randomBytes(16).toString('hex'));
  await step('sh deploy/compose/apply.sh applies a changed password of Redis', async () => {
    writeSettings({ ...settings, PERCH_LOG_LEVEL: 'warn', PERCH_REDIS_PASSWORD: servicesPassword });
    await run('sh', ['deploy/compose/apply.sh']);
  });
  await step('all of it is there with the new password', allThere);
  await step('sh deploy/compose/apply.sh adds the user operator of Redis, which may list clients', async () => {
    writeSettings({ ...settings, PERCH_LOG_LEVEL: 'warn', PERCH_REDIS_PASSWORD: servicesPassword, OPERATOR_PASSWORD: operatorPassword });
    await run('sh', ['deploy/compose/apply.sh']);
    const listed = await compose(
      'exec',
      '--no-TTY',
      '--env',
      `REDISCLI_AUTH=${operatorPassword}`,
      'redis',
      'redis-cli',
      '--user',
      'operator',
      'CLIENT',
      'LIST',
    );
    if (!/ user=perch /.test(listed)) throw new Error(listed);
  });
  await step('all of it is there after Redis was restarted for it', allThere);

  await step('docker compose down', () => compose('down'));
  await needed('docker compose up --detach --wait, with the volumes kept', () => compose('up', '--detach', '--wait'));
  await step('all of it is there after down and up', allThere);
  await step('every container is healthy and none restarted', healthy);
  await step('Redis and the others logged no CRITICAL', noCritical);
}

async function engine() {
  const client = await run('docker', ['version', '--format', '{{.Server.Version}}']);
  return `Docker ${client.trim()}, Compose ${(await run('docker', ['compose', 'version', '--short'])).trim()}`;
}

function pull() {
  return compose('pull', '--policy', 'missing', '--ignore-buildable');
}

/** Makes the images that are not there yet, or that another stand-ins.Dockerfile made. */
async function makeStandIns() {
  const file = join(root, 'deploy/compose/stand-ins.Dockerfile');
  const made = createHash('sha256').update(readFileSync(file)).digest('hex');
  const format = '{{index .Config.Labels "perch.stand-in"}}';
  const inspect = (image) => spawnSync('docker', ['image', 'inspect', '--format', format, image], { encoding: 'utf8' });
  const missing = ['node', ...standIns.values()].filter((target) => inspect(`perch-stand-in/${target}`).stdout.trim() !== made);
  if (missing.length === 0) return;
  const work = mkdtempSync(join(tmpdir(), 'perch-stand-ins-'));
  try {
    if (inspect(debian).status !== 0) {
      await run('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'trixie', join(work, 'root')]);
      await run('sh', ['-c', 'tar -C "$0" --exclude=./dev --exclude=./proc -c . | docker import - "$1"', join(work, 'root'), debian]);
    }
    const context = join(work, 'context');
    mkdirSync(context);
    // The package `node` of npm installs this one.
    await run('npm', ['pack', '--pack-destination', context, `node-linux-${process.arch}@24`, 'npm@11']);
    for (const target of missing)
      await run('docker', ['build', '-f', file, '--target', target, '--label', `perch.stand-in=${made}`, '-t', `perch-stand-in/${target}`, context]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Writes what differs on this engine: the stand-ins, and a limit on open files where the engine may not set the one of docker-compose.yml. */
async function writeOverride() {
  const { services } = JSON.parse(await compose('--profile', '*', 'config', '--format', 'json'));
  const override = Object.fromEntries(Object.keys(services).map((name) => [name, {}]));
  // The address that the robot of this run dials is one of this machine.
  override.probe.environment = { PERCH_LINK_PUBLIC_URL: 'ws://haproxy:8081/robot/v1/link' };
  const built = new Set(Object.values(services).flatMap(({ image, build }) => (build === undefined ? [] : [image])));
  if (values['stand-ins']) {
    const said = new Set();
    for (const [name, { image, build }] of Object.entries(services)) {
      if (build !== undefined) override[name].build = { args: { NODE_IMAGE: 'perch-stand-in/node' } };
      if (built.has(image)) continue;
      const target = standIns.get(image.slice(0, image.lastIndexOf(':')));
      if (target === undefined) throw new Error(`deploy/compose/check.mjs has no stand-in for ${image}`);
      override[name].image = `perch-stand-in/${target}`;
      said.add(`${image}: ${await programVersion(target)}`);
    }
    print(`        stand-ins, made from Debian trixie:\n        node:24-slim: Node.js ${(await programVersion('node')).trim()} of npm`);
    for (const line of said) print(`        ${line}`);
  }
  const [probe] = Object.values(override).flatMap(({ image }) => image ?? []);
  const image = probe ?? Object.values(services).find((service) => !built.has(service.image)).image;
  const limited = spawnSync('docker', ['run', '--rm', '--ulimit', 'nofile=65536', '--entrypoint', 'true', image], { encoding: 'utf8' });
  if (limited.status !== 0 && /rlimit/.test(limited.stderr)) {
    const files = Number(spawnSync('docker', ['run', '--rm', '--entrypoint', 'sh', image, '-c', 'ulimit -n'], { encoding: 'utf8' }).stdout);
    for (const [name, { ulimits }] of Object.entries(services)) if (ulimits !== undefined) override[name].ulimits = { nofile: files };
    print(`        this engine allows no limit of 65,536 open files: ${files} in its place`);
  }
  writeFileSync(join(folder, 'override.json'), JSON.stringify({ services: override }));
  env.COMPOSE_FILE = ['docker-compose.yml', 'override.json'].join(process.platform === 'win32' ? ';' : ':');
}

async function programVersion(target) {
  const commands = {
    node: 'node --version',
    redis: 'redis-server --version',
    haproxy: 'haproxy -v',
    prometheus: 'prometheus --version 2>&1',
    alertmanager: 'prometheus-alertmanager --version 2>&1',
    'redis-exporter': "dpkg-query --show --showformat 'redis_exporter ${Version}' prometheus-redis-exporter",
    grafana: 'echo no Grafana, a page that says so',
  };
  const text = await run('docker', ['run', '--rm', '--entrypoint', 'sh', `perch-stand-in/${target}`, '-c', commands[target]]);
  return text.split('\n')[0].slice(0, 100);
}

async function imageLabels() {
  const wrong = [];
  const revisions = new Set();
  for (const target of ['gateway', 'robot-link', 'renderer', 'webhooks', 'mqtt-bridge', 'probe', 'perch']) {
    const labels = JSON.parse(await run('docker', ['image', 'inspect', '--format', '{{json .Config.Labels}}', `perch-docker/${target}:latest`]));
    const found = ['version', 'revision'].map((name) => labels[`org.opencontainers.image.${name}`]);
    if (found[0] !== version || (!values['no-build'] && found[1] !== revision)) wrong.push(`${target}: ${found.join(' ')}`);
    revisions.add(found[1]);
  }
  if (wrong.length > 0) throw new Error(wrong.join('; '));
  return `${version}, ${[...revisions].join(', ')}`;
}

async function containers() {
  const lines = (await compose('ps', '--all', '--format', 'json')).trim().split('\n');
  return lines.map((line) => JSON.parse(line)).map(({ ID: id, Service: service }) => ({ id, service }));
}

function healthy() {
  return eventually(async () => {
    const all = await containers();
    const states = JSON.parse(await run('docker', ['inspect', ...all.map(({ id }) => id)]));
    const wrong = states.flatMap(({ Name, State, RestartCount, HostConfig }) => {
      const isOneShot = HostConfig.RestartPolicy.Name === 'no';
      const good =
        (isOneShot && State.Status === 'exited' && State.ExitCode === 0) ||
        (State.Status === 'running' && [undefined, 'healthy'].includes(State.Health?.Status));
      return good && RestartCount === 0 ? [] : [`${Name.slice(1)}: ${State.Status} ${State.Health?.Status ?? ''}, ${RestartCount} restarts`];
    });
    if (wrong.length > 0) throw new Error(wrong.join('; '));
    return `${all.length} containers`;
  });
}

async function noCritical() {
  const lines = (await compose('logs', '--no-color')).split('\n').filter((line) => line.includes('CRITICAL'));
  if (lines.length > 0) throw new Error(`${lines.length} lines, such as ${lines[0]}`);
}

/**
 * Makes calls of three kinds at the same time until it is stopped, each kind one after the other and without a retry.
 */
function startLoad({ state, face, ask }) {
  const stopped = new AbortController();
  let calls = 0;
  const failures = [];
  const repeat = async (name, work) => {
    while (!stopped.signal.aborted) {
      await work().catch((error) => failures.push(`${name}: ${error.message}`));
      calls += 1;
      await pause(callPauseMs);
    }
  };
  const ended = Promise.all([repeat('state', state), repeat('face', face), repeat('ask', ask)]).then(() => ({ calls, failures }));
  return { ended, stop: () => stopped.abort() };
}

/** @throws unless the answer has a 2xx status and `ok` */
async function call(baseUrl, token, path, body) {
  const response = await fetch(baseUrl + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(150_000),
  }).catch((error) => Promise.reject(new Error(`${error.message} ${error.cause?.message ?? ''}`)));
  const answer = await response.json();
  if (!response.ok || answer.ok !== true) throw new Error(`${response.status} ${answer.code}: ${answer.error}`);
  return answer;
}

/** Retries for a minute. @returns what `work` returns @throws its last error */
async function eventually(work) {
  const until = performance.now() + 60_000;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > until) throw error;
      await pause(1000);
    }
  }
}

function perch(...args) {
  return compose('run', '--rm', '--no-TTY', 'perch', ...args);
}

function compose(...args) {
  return run('docker', ['compose', ...args]);
}

/** @returns standard output @throws with the last lines of standard error */
function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (data) => (stdout += data));
    child.stderr.on('data', (data) => (stderr += data));
    child.once('error', (error) => reject(new Error(`${command}: ${error.message}`)));
    child.once('close', (code) => {
      running.delete(child);
      if (code === 0) resolve(stdout);
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}\n${(stderr || stdout).trim().split('\n').slice(-15).join('\n')}`));
    });
  });
}

function writeSettings(settings) {
  const lines = Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}\n`]));
  writeFileSync(join(folder, '.env'), lines.join(''));
}

async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))));
  const ports = servers.map((server) => server.address().port);
  for (const server of servers) server.close();
  return ports;
}

async function step(title, work) {
  const startedAt = performance.now();
  const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`.padStart(8);
  try {
    const said = await work();
    passed += 1;
    print(`ok      ${seconds()}  ${title}${typeof said === 'string' && said.length < 80 && said !== '' ? `: ${said.trim()}` : ''}`);
    return true;
  } catch (error) {
    failed += 1;
    print(`FAILED  ${seconds()}  ${title}: ${error.message}`);
    return false;
  }
}

/** A step without which the others cannot be tried. */
async function needed(title, work) {
  if (!(await step(title, work))) throw new Stop();
}

/** Removes what the run made, prints the result and exits. */
async function end(code) {
  await robot?.stop();
  for (const child of running) child.kill();
  if (existsSync(join(folder, 'docker-compose.yml'))) {
    if (failed > 0) {
      mkdirSync(join(root, '.perch'), { recursive: true });
      writeFileSync(join(root, '.perch/docker.log'), await compose('logs', '--no-color', '--timestamps').catch((error) => error.message));
    }
    await compose('--profile', '*', 'down', '--volumes', '--remove-orphans', '--timeout', '10').catch((error) => print(error.message));
  }
  rmSync(folder, { recursive: true, force: true });
  print(`${passed} passed, ${failed} failed`);
  process.exit(code);
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
