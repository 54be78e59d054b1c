/**
 * `npm run release -- --stage | --dry-run | --publish | --version` (docs/packages.md): builds the folders of the published packages in `.perch/packages`
 * (`--out FOLDER`), packs and checks them; `--dry-run` then runs `npm publish --dry-run`, `--publish` publishes, and with `--dry-run` refuses as it would
 * and publishes nothing. `--json` prints what was built.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import './check-node.mjs';
import { problemsOfKnown } from './known-failures.mjs';
import { pack, problemsOf } from './release-checks.mjs';
import { repositoryOf } from './release-manifests.mjs';
import { obstacles, publish, publishRest, stateOfTree } from './release-publish.mjs';
import { buildingPython, buildPython, problemsOfPython } from './release-python.mjs';
import { stagePackages, stagePython } from './release-stage.mjs';
import { setVersions } from './release-version.mjs';
import { log, root, setUp } from './set-up.mjs';

const { values } = parseArgs({
  options: {
    stage: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    publish: { type: 'boolean' },
    version: { type: 'boolean' },
    json: { type: 'boolean' },
    built: { type: 'boolean' },
    out: { type: 'string', default: join(root, '.perch/packages') },
  },
});
const chosen = ['stage', 'publish', 'version', 'dry-run'].filter((name) => values[name] && !(name === 'dry-run' && values.publish));
if (chosen.length !== 1) {
  log('usage: npm run release -- --stage | --dry-run | --publish [--dry-run] | --version');
  process.exit(64);
}
process.exitCode = chosen[0] === 'version' ? version() : await release(chosen[0]);

function version() {
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules/@changesets/cli/bin.js'), 'version'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) return 1;
  const { version: set, changed } = setVersions(root);
  log(`${set}: ${changed.length} files follow`);
  return 0;
}

async function release(how) {
  const repository = repositoryOf();
  const { version: current } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (how === 'publish') {
    const found = [
      ...obstacles({ ...stateOfTree(root), version: current, environment: process.env, repositoryIsKnown: repository.isKnown }),
      ...problemsOfKnown(undefined, new Date().toISOString().slice(0, 10)),
    ];
    for (const obstacle of found) log(obstacle);
    if (found.length > 0) return 1;
  }
  if (values.built !== true && (await setUp()) !== null) return 1;
  const out = resolve(values.out);
  const staged = await stagePackages(root, out, repository.url);
  const tarballs = join(out, 'tarballs');
  mkdirSync(tarballs);
  const problems = [];
  for (const one of staged) {
    one.tarball = pack(one, tarballs);
    problems.push(...(await problemsOf(root, one, one.tarball)));
    log(`${one.name} ${one.version}: ${one.tarball.files.length} files`);
  }
  const python = await buildPythonClient(out, repository.url, problems);
  if (python.wheel === null && how === 'publish') problems.push(`perch-client: ${python.missing}`);
  for (const problem of problems) log(problem);
  if (values.json) process.stdout.write(`${JSON.stringify({ packages: staged, python, problems })}\n`);
  if (problems.length > 0) return 1;
  if (!repository.isKnown) log(`PERCH_REPOSITORY is not set: the packages link to ${repository.url}`);
  if (how === 'stage') return 0;
  // The Python client is published by the workflow, with what this has built, and before these.
  const succeeded = how === 'dry-run' ? publish(staged, { dryRun: true }) : publishRest(staged, { dryRun: values['dry-run'] === true, log });
  return succeeded ? 0 : 1;
}

async function buildPythonClient(out, repository, problems) {
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
