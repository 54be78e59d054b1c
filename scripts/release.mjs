/**
 * `npm run release -- --stage | --dry-run | --publish | --version | --seal | --check` (docs/packages.md). `--stage` builds the folders of the published packages
 * in `.perch/packages` (`--out FOLDER`), packs and checks them; `--dry-run` then runs `npm publish --dry-run`. `--publish` publishes what was staged, and with
 * `--dry-run` refuses as it would and publishes nothing. `--seal` writes the checksums of a folder, `--check` compares them; `--sums` is what `--seal` printed.
 * `--publish`, `--seal` and `--check` need nothing but Node: they run where secrets are, and no package of others is installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import './check-node.mjs';
import { problemsOfKnown } from './known-failures.mjs';
import { repositoryOf } from './release-manifests.mjs';
import { obstacles, publish, publishRest, stateOfTree } from './release-publish.mjs';
import { problemsOfSums, writeSums } from './release-sums.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    stage: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    publish: { type: 'boolean' },
    version: { type: 'boolean' },
    seal: { type: 'boolean' },
    check: { type: 'boolean' },
    json: { type: 'boolean' },
    built: { type: 'boolean' },
    sums: { type: 'string' },
    out: { type: 'string', default: join(root, '.perch/packages') },
  },
});
const out = resolve(values.out);
const ways = { stage, 'dry-run': stage, publish: publishStaged, version: setVersion, seal, check };
const chosen = Object.keys(ways).filter((name) => values[name] && !(name === 'dry-run' && values.publish));
if (chosen.length !== 1) {
  log('usage: npm run release -- --stage | --dry-run | --publish [--dry-run] | --version | --seal | --check');
  process.exit(64);
}
process.exitCode = await ways[chosen[0]]();

async function setVersion() {
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules/@changesets/cli/bin.js'), 'version'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) return 1;
  const { setVersions } = await import('./release-version.mjs');
  const { version: set, changed } = setVersions(root);
  log(`${set}: ${changed.length} files follow`);
  return 0;
}

async function stage() {
  const repository = repositoryOf();
  if (values.built !== true) {
    const { setUp } = await import('./set-up.mjs');
    if ((await setUp()) !== null) return 1;
  }
  const { stagePackages } = await import('./release-stage.mjs');
  const { pack, problemsOf } = await import('./release-checks.mjs');
  const staged = await stagePackages(root, out, repository.url);
  const tarballs = join(out, 'tarballs');
  mkdirSync(tarballs);
  const problems = [];
  for (const one of staged) {
    one.tarball = pack(one, tarballs);
    problems.push(...(await problemsOf(root, one, one.tarball)));
    log(`${one.name} ${one.version}: ${one.tarball.files.length} files`);
  }
  const python = await buildPythonClient(repository.url, problems);
  for (const problem of problems) log(problem);
  if (values.json) process.stdout.write(`${JSON.stringify({ packages: staged, python, problems })}\n`);
  if (problems.length > 0) return 1;
  if (!repository.isKnown) log(`PERCH_REPOSITORY is not set: the packages link to ${repository.url}`);
  const list = staged.map(({ name, version, tarball: { path, integrity } }) => ({ name, version, file: basename(path), integrity }));
  writeFileSync(join(out, 'packages.json'), `${JSON.stringify(list, null, 2)}\n`);
  await writeSums(out);
  return values['dry-run'] !== true || publish(staged, { dryRun: true }) ? 0 : 1;
}

async function buildPythonClient(repository, problems) {
  const { buildingPython, buildPython, problemsOfPython } = await import('./release-python.mjs');
  const { stagePython } = await import('./release-stage.mjs');
  const folder = stagePython(root, out, repository);
  const python = await buildingPython();
  if (typeof python === 'string') {
    log(`perch-client: the wheel is not built: ${python}`);
    return { folder, wheel: null, missing: python };
  }
  const built = buildPython(python, folder, join(out, 'python-dist'));
  problems.push(...problemsOfPython(python, built));
  log(`perch-client: ${built.wheel}`);
  return { folder, ...built };
}

/** The Python client is published by the workflow, before these. */
async function publishStaged() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const found = [
    ...obstacles({ ...stateOfTree(root), version, environment: process.env, repositoryIsKnown: repositoryOf().isKnown }),
    ...problemsOfKnown(undefined, new Date().toISOString().slice(0, 10)),
    ...(await problemsOfSums(out, values.sums)),
    ...(existsSync(join(out, 'python-dist')) ? [] : ['perch-client: the wheel is not built']),
  ];
  for (const obstacle of found) log(obstacle);
  if (found.length > 0) return 1;
  const list = JSON.parse(readFileSync(join(out, 'packages.json'), 'utf8'));
  const staged = list.map(({ name, version: own, file, integrity }) => ({
    name,
    version: own,
    tarball: { path: join(out, 'tarballs', basename(file)), integrity },
  }));
  const other = staged.filter((one) => one.version !== version);
  for (const one of other) log(`${one.name} ${one.version} was staged, and the commit is ${version}: stage it again`);
  if (other.length > 0) return 1;
  return publishRest(staged, { dryRun: values['dry-run'] === true, log }) ? 0 : 1;
}

/** Prints a line for the outputs of a job. */
async function seal() {
  process.stdout.write(`sums=${await writeSums(out)}\n`);
  return 0;
}

async function check() {
  const problems = await problemsOfSums(out, values.sums);
  for (const problem of problems) log(problem);
  return problems.length === 0 ? 0 : 1;
}

function log(line) {
  process.stderr.write(`perch: ${line}\n`);
}
