/**
 * Stands in for docker, kubectl, perch, redis-cli and sudo where a test runs the pages for operators: `node operator-tools.mjs TOOL ARGUMENT…`. It compares every
 * name with docker-compose.yml or the rendered chart and runs what would be executed inside a container, on this machine. PERCH_TEST_SITE names the file
 * that says what there is (`Site` in test-e2e/fixture/runbooks/operator-shell.ts). A name that is not there ends it with 90.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import process from 'node:process';

const site = JSON.parse(readFileSync(process.env.PERCH_TEST_SITE, 'utf8'));
const [tool, ...args] = process.argv.slice(2);

class Wrong extends Error {}

function known(name, names, what) {
  if (!names.includes(name)) throw new Wrong(`there is no ${what} ${name}, only ${names.join(', ')}`);
}

/** @returns the options before the first other word, and the words from there on; `name=value` of an option without a value counts as true */
function optionsOf(words, withValue, without) {
  const options = new Map();
  let at = 0;
  for (; at < words.length && words[at].startsWith('-'); at += 1) {
    const [name, value] = words[at].split(/=(.*)/s);
    if (withValue.includes(name)) options.set(name, value ?? words[(at += 1)]);
    else if (without.includes(name)) options.set(name, value ?? true);
    else throw new Wrong(`unknown option ${name}`);
  }
  return { options, rest: words.slice(at) };
}

/** Runs on this machine what would run in a container. */
function run(command, words, env) {
  if (site.inside === null) return 0;
  const inside = [command, ...words].map((word) => site.inside.paths.reduce((text, [from, to]) => text.replaceAll(from, to), word));
  const { status } = spawnSync(inside[0], inside.slice(1), { cwd: site.root, env: { ...process.env, ...env }, stdio: 'inherit' });
  return status ?? 1;
}

const perch = (words) => run(process.execPath, ['packages/cli/dist/main.js', ...words], {});

function compose(words) {
  const { options: common, rest } = optionsOf(words, ['--profile', '--file', '-f'], []);
  const [verb, ...more] = rest;
  const names = Object.keys(site.compose);
  if (common.has('--profile'))
    known(
      common.get('--profile'),
      Object.values(site.compose).flatMap(({ profiles }) => profiles),
      'profile',
    );
  if (['ps', 'stop', 'start', 'restart', 'up', 'logs', 'build', 'pull', 'down'].includes(verb)) {
    const flags = ['--detach', '--wait', '--force-recreate', '--no-deps', '--follow', '--all', '--build', '--volumes', '--quiet', '--no-log-prefix'];
    const { rest: services } = optionsOf(more, ['--tail', '--timeout', '--since'], flags);
    for (const name of services) known(name, names, 'service');
    return 0;
  }
  if (verb !== 'run' && verb !== 'exec') throw new Wrong(`docker compose ${verb} is not known here`);
  const { options, rest: command } = optionsOf(more, ['--entrypoint', '--volume', '--user', '--env'], ['--rm', '--no-deps', '-T', '--interactive']);
  const [name, ...own] = command;
  known(name, names, 'service');
  const { profiles, mounts } = site.compose[name];
  if (verb === 'exec' && profiles.length > 0) throw new Wrong(`${name} does not run unless it is started by its profile`);
  if (options.has('--volume')) mounts.push(options.get('--volume').split(':')[1]);
  const inside = options.has('--entrypoint') ? [options.get('--entrypoint'), ...own] : own;
  for (const path of inside.filter((word) => word.startsWith('/') && !word.startsWith('/perch/'))) {
    if (!mounts.some((mount) => path === mount || path.startsWith(`${mount}/`))) throw new Wrong(`${name} has no ${path}`);
  }
  if (name === 'perch') return inside.length === 0 ? 0 : perch(inside);
  if (inside.length === 0) {
    // A program that runs to its end, as `secrets` does.
    if (verb === 'exec') throw new Wrong('docker compose exec without a command');
    return 0;
  }
  return execute(inside);
}

/** redis-cli is run by packages/store/test/operator-commands.redis.test.ts, with the same words. */
function execute([command, ...words]) {
  if (['redis-cli', 'sh', 'kill'].includes(command)) return 0;
  if (command === 'node' || ['cat', 'cp', 'ls', 'rm'].includes(command))
    return run(command === 'node' ? process.execPath : command, words, site.inside?.env);
  throw new Wrong(`${command} is not in the image, or not known here`);
}

const kinds = new Map(
  Object.entries({
    Deployment: ['deploy', 'deployment', 'deployments'],
    NetworkPolicy: ['netpol', 'networkpolicy', 'networkpolicies'],
    Pod: ['po', 'pod', 'pods'],
    Secret: ['secret', 'secrets'],
    Service: ['svc', 'service', 'services'],
  }).flatMap(([kind, words]) => words.map((word) => [word, kind])),
);

function object(kindWord, name) {
  const kind = kinds.get(kindWord);
  if (kind === undefined) throw new Wrong(`${kindWord} is no kind that is known here`);
  // Names of pods end with what Kubernetes chooses.
  if (name !== undefined && kind !== 'Pod' && kind !== 'Secret') known(name, site.chart[kind] ?? [], kind);
}

function kubectl(words) {
  const [verb, ...more] = words;
  const separator = more.indexOf('--');
  const own = separator === -1 ? more : more.slice(0, separator);
  const flags = ['--all-namespaces', '--prefix', '--previous', '--watch', '-it', '-i'];
  const targets = [];
  for (let at = 0; at < own.length; at += 1) {
    const [flag, value] = own[at].split('=');
    if (!flag.startsWith('-')) targets.push(own[at]);
    else if (flag === '-c' || flag === '--container') known(value ?? own[(at += 1)], site.containers, 'container');
    else if (flag === '-l' || flag === '--selector') known(own[(at += 1)], site.labels, 'label');
    else if (['--tail', '--since', '--replicas', '-o'].includes(flag)) at += value === undefined ? 1 : 0;
    else if (!flags.includes(flag)) throw new Wrong(`unknown option ${flag}`);
  }
  if (verb === 'rollout') {
    const [action, ...rest] = targets;
    known(action, ['restart', 'status', 'undo', 'history'], 'action');
    targets.splice(0, targets.length, ...rest);
  } else if (verb === 'logs' && !targets[0]?.includes('/')) targets.unshift('pod');
  else known(verb, ['get', 'describe', 'logs', 'exec', 'scale', 'delete'], 'command');
  const [first, ...names] = targets;
  if (first.includes('/')) for (const target of targets) object(...target.split('/'));
  else for (const kind of first.split(',')) for (const name of names.length === 0 ? [undefined] : names) object(kind, name);
  if (verb !== 'exec') return 0;
  const name = first.split('/')[1];
  const inside = more.slice(separator + 1);
  if (inside.length === 0 || separator === -1) throw new Wrong('kubectl exec without a command');
  const entry = site.entries[name];
  if (inside[0] === 'node' && inside[1] === entry) return inside.length === 2 ? 0 : perch(inside.slice(2));
  return execute(inside);
}

const tools = {
  docker: ([first, ...rest]) => {
    known(first, ['compose'], 'command of docker');
    return compose(rest);
  },
  kubectl,
  perch,
  // packages/store/test/operator-commands.redis.test.ts runs it.
  'redis-cli': () => 0,
  sudo: () => 0,
};

try {
  process.exitCode = tools[tool](args);
} catch (error) {
  const text = `${tool} ${args.join(' ')}: ${error instanceof Wrong ? error.message : error.stack}\n`;
  process.stderr.write(text);
  // In a pipe its exit code is lost.
  appendFileSync(process.env.PERCH_TEST_FAILURES, text);
  process.exitCode = 90;
}
