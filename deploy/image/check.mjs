/** `npm run images`: builds each image and checks it in a container, with docker or podman. Without Redis, a broker or a gateway, an instance is healthy and waits. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const services = ['gateway', 'robot-link', 'renderer', 'webhooks', 'mqtt-bridge', 'probe'];
const targets = [...services, 'perch'];
/** Maximum size that an image adds to its base, MB. */
const addedMbMax = { gateway: 80, 'robot-link': 80, renderer: 160, webhooks: 80, 'mqtt-bridge': 80, probe: 80, perch: 80 };
/** Settings with which a service starts: all but the bridge and the probe need Redis. */
const redis = { PERCH_REDIS_URL: 'redis://127.0.0.1:1' };
const settings = {
  'mqtt-bridge': { PERCH_BASE_URL: 'http://127.0.0.1:1', PERCH_API_KEY: 'pk_none', PERCH_MQTT_URL: 'mqtt://127.0.0.1:1' },
  probe: { PERCH_BASE_URL: 'http://127.0.0.1:1', PERCH_PROBE_API_KEY: 'pk_none', PERCH_PROBE_ROBOT_TOKEN: 'rt_none' },
};
const labels = ['title', 'description', 'licenses', 'version', 'revision'].map((name) => `org.opencontainers.image.${name}`);
const help = `Builds the images of Perch with docker or podman and checks them: size, user, capabilities, read-only root, health check, exit on SIGTERM,
labels and bill of materials.

  npm run images -- [options] [-- arguments of "build"]

  --engine NAME    docker or podman (default: the first of them on PATH)
  --base IMAGE     base image with Node 24 and npm (default: that of deploy/Dockerfile)
  --tag TAG        tag of the images perch/gateway and so on (default: the version of package.json); latest is set as well
  --no-build       checks existing images
`;

const { values, positionals } = parseArgs({
  options: {
    engine: { type: 'string' },
    base: { type: 'string' },
    tag: { type: 'string' },
    'no-build': { type: 'boolean' },
    help: { type: 'boolean' },
  },
  allowPositionals: true,
});
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const tag = values.tag ?? version;
const base = values.base ?? /^ARG NODE_IMAGE=(\S+)$/m.exec(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'))[1];
const engine = values.engine ?? ['docker', 'podman'].find((name) => spawnSync(name, ['--version']).status === 0);
if (engine === undefined) {
  process.stderr.write('images: neither docker nor podman is on PATH\n');
  process.exit(1);
}

const problems = [];
for (const target of targets) {
  const image = `perch/${target}:${tag}`;
  if (!values['no-build']) build(target, image);
  const found = await problemsOf(target, image);
  const added = (sizeOf(image) - sizeOf(base)) / 1e6;
  process.stdout.write(`${target.padEnd(11)} ${added.toFixed(1).padStart(6)} MB above the base  ${found.length === 0 ? 'ok' : found.join('; ')}\n`);
  problems.push(...found);
}
process.exitCode = problems.length === 0 ? 0 : 1;

function build(target, image) {
  const revision = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout?.trim() || 'unknown';
  const given = { NODE_IMAGE: base, VERSION: version, REVISION: revision };
  const args = Object.entries(given).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
  // OCI's image format, podman's default, has no HEALTHCHECK.
  const format = engine === 'podman' ? ['--format', 'docker'] : [];
  const tags = ['-t', image, '-t', `perch/${target}:latest`];
  const { status } = spawnSync(engine, ['build', '-f', 'deploy/Dockerfile', '--target', target, ...format, ...tags, ...args, ...positionals, '.'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(1);
}

async function problemsOf(target, image) {
  const { Config: config } = inspect(image);
  return [
    ...sizeProblems(target, image),
    ...(config.User === '65532:65532' ? [] : [`runs as ${config.User || 'root'}`]),
    ...(config.Entrypoint?.[0] === 'node' ? [] : ['its entry point is not node, which then gets no signals']),
    ...labels.filter((name) => !config.Labels?.[name]).map((name) => `lacks the label ${name}`),
    ...(config.Labels?.['org.opencontainers.image.version'] === version ? [] : [`its version label is not ${version}`]),
    ...contentProblems(image),
    ...(target === 'perch'
      ? commandProblems(image)
      : [...(hasHealthcheck(image) ? [] : ['has no HEALTHCHECK']), ...(await serviceProblems(target, image))]),
  ];
}

function sizeProblems(target, image) {
  const added = (sizeOf(image) - sizeOf(base)) / 1e6;
  return added <= addedMbMax[target] ? [] : [`adds ${added.toFixed(1)} MB to its base, more than ${addedMbMax[target]}`];
}

/** Checks that the bill of materials exists and contains no development tool. */
function contentProblems(image) {
  const { stdout } = run(['run', '--rm', '--network', 'none', '--entrypoint', 'cat', image, '/perch/bom.cdx.json']);
  let bom;
  try {
    bom = JSON.parse(stdout);
  } catch {
    return ['has no readable bom.cdx.json'];
  }
  if (bom.bomFormat !== 'CycloneDX' || !(bom.components?.length > 5)) return ['its bom.cdx.json is not a CycloneDX document'];
  const tools = bom.components.filter(({ name }) => ['mocha', 'typescript', 'oxlint', 'vite'].includes(name));
  return tools.map(({ name }) => `contains ${name}, a development tool`);
}

function commandProblems(image) {
  const { status } = run(['run', '--rm', ...confined(), image, '--help']);
  return status === 0 ? [] : [`perch --help ends with ${status}`];
}

/** Starts the service confined as in docker-compose.yml, checks its process and stops it. */
async function serviceProblems(target, image) {
  const name = `perch-check-${target}-${process.pid}`;
  const env = Object.entries(settings[target] ?? redis).flatMap(([variable, value]) => ['--env', `${variable}=${value}`]);
  const started = run(['run', '--detach', '--name', name, ...confined(), ...env, image]);
  if (started.status !== 0) return [`does not start: ${started.stderr.trim()}`];
  try {
    const found = (await isHealthy(name)) ? [] : [`its health check fails for 30 s: ${String(run(['logs', name]).stdout).slice(-500)}`];
    found.push(...processProblems(name));
    run(['stop', '--time', '20', name]);
    const { ExitCode: code } = JSON.parse(run(['inspect', name]).stdout)[0].State;
    return code === 0 ? found : [...found, `ends with ${code} after SIGTERM`];
  } finally {
    run(['rm', '--force', name]);
  }
}

function confined() {
  return ['--network', 'none', '--read-only', '--cap-drop', 'all', '--security-opt', 'no-new-privileges'];
}

async function isHealthy(name) {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    if (run(['exec', name, 'node', '/perch/healthcheck.mjs']).status === 0) return true;
    await pause(500);
  }
  return false;
}

/** Checks user, capabilities and write access of the first process of the container. */
function processProblems(name) {
  const script = `
    const { readFileSync, writeFileSync } = require('fs');
    const status = Object.fromEntries(readFileSync('/proc/1/status', 'utf8').split('\\n').map((line) => line.split(':\\t')));
    let writes = true;
    try { writeFileSync('/perch/x', ''); } catch { writes = false; }
    console.log(JSON.stringify({ uid: status.Uid, capabilities: status.CapEff, confined: status.NoNewPrivs, writes }));`;
  const { status, stdout, stderr } = run(['exec', name, 'node', '-e', script]);
  if (status !== 0) return [`cannot be inspected: ${stderr.trim()}`];
  const seen = JSON.parse(stdout);
  return [
    ...(seen.uid.startsWith('65532\t') ? [] : [`its process runs as ${seen.uid}`]),
    ...(/^0+$/.test(seen.capabilities) ? [] : [`its process has capabilities ${seen.capabilities}`]),
    ...(seen.confined === '1' ? [] : ['its process may gain privileges']),
    ...(seen.writes ? ['its process can write to the root file system'] : []),
  ];
}

function hasHealthcheck(image) {
  const inspected = inspect(image);
  return (inspected.Config.Healthcheck ?? inspected.Healthcheck)?.Test?.length > 0;
}

function sizeOf(image) {
  return inspect(image).Size;
}

function inspect(image) {
  const { status, stdout, stderr } = run(['image', 'inspect', image]);
  if (status === 0) return JSON.parse(stdout)[0];
  process.stderr.write(`images: ${stderr}`);
  process.exit(1);
}

function run(args) {
  return spawnSync(engine, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}
