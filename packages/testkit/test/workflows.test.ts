import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Step {
  id?: string;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
  env?: Record<string, string>;
}

interface Job {
  needs?: string | string[];
  environment?: string;
  permissions?: Record<string, string>;
  outputs?: Record<string, string>;
  strategy: { matrix: { part: string[] } };
  steps: Step[];
}

interface Workflow {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  env: Record<string, string>;
  defaults?: { run: { shell: string } };
  jobs: Record<string, Job>;
}

const workflowFiles = readdirSync(`${root}/.github/workflows`);

function textOf(file: string): string {
  return readFileSync(`${root}/.github/workflows/${file}`, 'utf8');
}

function workflowOf(file: string): Workflow {
  return parse(textOf(file)) as Workflow;
}

function jobs(workflow: string): Job[] {
  return Object.values(workflowOf(`${workflow}.yml`).jobs);
}

function partsOf(script: string): { name: string; seconds: number }[] {
  const { stdout } = spawnSync(process.execPath, [`scripts/${script}.mjs`, '--list'], { cwd: root, encoding: 'utf8' });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/\s+/))
    .map(([name, seconds]) => ({ name: name!, seconds: Number(seconds) }));
}

describe('the hosted workflows', () => {
  it('run every part of .ci/run in a job of its own, each of at most 15 minutes', () => {
    const [job, ...others] = jobs('ci');
    assert.deepEqual(others, []);
    const parts = partsOf('gate');
    assert.deepEqual(
      job!.strategy.matrix.part,
      parts.map(({ name }) => name),
    );
    assert.ok(job!.steps.some(({ run }) => run === '.ci/run --only ${{ matrix.part }}'));
    for (const { name, seconds } of parts) assert.ok(seconds > 0 && seconds <= 15 * 60, name);
  });

  it('run every part of the nightly run in a job of its own, after .ci/run has installed what the parts need', () => {
    const [job, ...others] = jobs('nightly');
    assert.deepEqual(others, []);
    assert.deepEqual(
      job!.strategy.matrix.part,
      partsOf('nightly').map(({ name }) => name),
    );
    const commands = job!.steps.flatMap(({ run }) => run ?? []);
    assert.deepEqual(commands, ['.ci/run --list', 'npm run nightly -- ${{ matrix.part }}']);
  });
});

/**
 * Commits of the actions. Those of `actions/*` are the tags of the actions' own repositories. That of pypa/gh-action-pypi-publish is what psf/requests
 * (.github/workflows/publish.yml at 2026-08-03) and pypa/pip (450c85911) pin for v1.14.0: the commit, and not the tag's object, for which there is no image
 * (netboxlabs/orb-discovery#450, luciferreeves/edify#52).
 */
const pinned: Record<string, string> = {
  'actions/attest': '1e69f48acb82d1966a394da916b4c1698aa569d6 # v4.2.2',
  'actions/checkout': '3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1',
  'actions/download-artifact': '3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c # v8.0.1',
  'actions/setup-node': '820762786026740c76f36085b0efc47a31fe5020 # v7.0.0',
  'actions/setup-python': 'ece7cb06caefa5fff74198d8649806c4678c61a1 # v6.3.0',
  'actions/upload-artifact': 'bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0',
  'pypa/gh-action-pypi-publish': 'cef221092ed1bacb1cc03d23a2d87d1d172e277b # v1.14.0',
};

describe('all hosted workflows', () => {
  it('pin every action by its commit, the same one everywhere, with the version beside it (tj-actions/changed-files#2463)', () => {
    const used = new Set<string>();
    for (const file of workflowFiles)
      for (const [, action, version] of textOf(file).matchAll(/^ *(?:- )?uses: *([^@\s]+)(?:@(.*))?$/gm)) {
        assert.equal(version, pinned[action!], `${file}: ${action}`);
        assert.match(version!, /^[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
        used.add(action!);
      }
    assert.deepEqual([...used].toSorted(), Object.keys(pinned));
  });

  it('run on events of this repository alone, and may only read it unless a job says otherwise (rrweb-io/rrweb#1651, ultralytics/ultralytics#18027)', () => {
    for (const file of workflowFiles) {
      const { on, permissions } = workflowOf(file);
      const foreign = Object.keys(on).filter((event) => !['push', 'pull_request', 'schedule', 'workflow_dispatch'].includes(event));
      assert.deepEqual(foreign, [], file);
      assert.deepEqual(permissions, { contents: 'read' }, file);
    }
  });

  it('put nothing that others name into a command, and leave no token of the repository on the disk (aws/jsii-rosetta#3669, github/codeql#17401)', () => {
    for (const file of workflowFiles)
      for (const { steps } of Object.values(workflowOf(file).jobs))
        for (const { uses = '', run = '', with: given = {} } of steps) {
          assert.doesNotMatch(run.replaceAll('${{ matrix.part }}', ''), /\$\{\{/, file);
          if (uses.startsWith('actions/checkout@')) assert.equal(given['persist-credentials'], false, file);
        }
  });

  it('upload files below folders with a dot, which are left out without a word by default (actions/upload-artifact#620)', () => {
    for (const file of workflowFiles)
      for (const { steps } of Object.values(workflowOf(file).jobs))
        for (const { uses = '', with: given = {} } of steps)
          if (uses.startsWith('actions/upload-artifact@')) assert.equal(given['include-hidden-files'], true, file);
  });
});

describe('the release workflow', () => {
  const { on, env, defaults, jobs: release } = workflowOf('release.yml');
  const names = Object.keys(release);
  const needsOf = (name: string): string[] => [release[name]!.needs ?? []].flat();
  const allNeedsOf = (name: string): string[] => needsOf(name).flatMap((each) => [each, ...allNeedsOf(each)]);
  const mayPublish = (name: string): boolean =>
    JSON.stringify(release[name]).includes('secrets.') || Object.values(release[name]!.permissions ?? {}).includes('write');
  const stepsWith = (name: string, pattern: RegExp): number[] =>
    release[name]!.steps.flatMap(({ uses = '', run = '' }, i) => (pattern.test(uses) || pattern.test(run) ? [i] : []));

  it('runs for tags of versions alone, in shells that stop at the first failure of a pipe, and twice at once for no tag', () => {
    assert.deepEqual(on, { push: { tags: ['v*'] } });
    assert.deepEqual(defaults, { run: { shell: 'bash' } });
    assert.match(textOf('release.yml'), /^concurrency:\n {2}group: release-\$\{\{ github\.ref \}\}\n {2}cancel-in-progress: false$/m);
  });

  it('builds in jobs without secrets and without rights, and gives each job that publishes the rights that it needs', () => {
    const rights = { contents: 'read', 'id-token': 'write' };
    assert.deepEqual(Object.fromEntries(names.map((name) => [name, release[name]!.permissions])), {
      'sign-robot-program': undefined,
      'build-packages': undefined,
      'build-images': undefined,
      'check-npm': undefined,
      'attest-packages': { ...rights, attestations: 'write' },
      'publish-python': rights,
      'publish-npm': rights,
      'publish-images': undefined,
      'attest-images': { ...rights, attestations: 'write' },
      'publish-page': { contents: 'write' },
    });
    assert.deepEqual(
      names.filter((name) => !mayPublish(name)),
      ['build-packages', 'build-images'],
    );
    for (const name of names) assert.equal(release[name]!.environment, mayPublish(name) ? 'release' : undefined, name);
    assert.deepEqual(secretsOf(release), {
      'sign-robot-program': ['ROBOT_SIGNING_KEY'],
      'check-npm': ['NPM_TOKEN'],
      'publish-npm': ['NPM_TOKEN'],
      'publish-images': ['IMAGE_REGISTRY_TOKEN'],
    });
  });

  it('installs nothing and runs no script of a package where a secret or a right to write is (librefang/librefang#3914)', () => {
    const commands =
      /^(?:node scripts\/release\.mjs --(?:check|publish|seal) |node scripts\/release-robot-program\.mjs |docker |helm (?:push|registry login) |gh release |echo |for |done|mkdir |cp |\(cd |grep --fixed-strings )/;
    for (const name of names.filter(mayPublish))
      for (const { run = '' } of release[name]!.steps)
        for (const line of run.split('\n').filter((each) => !/^\s*(?:#|$)/.test(each))) assert.match(line.trim(), commands, `${name}: ${line}`);
    for (const script of ['release.mjs', 'release-robot-program.mjs'])
      assert.doesNotMatch(readFileSync(join(root, 'scripts', script), 'utf8'), /^import .* from '(?!node:|\.\/)/m);
  });

  it('uses no cache, into which another workflow may have written (npm/documentation#1935)', () => {
    for (const name of names)
      for (const { uses = '', with: given = {} } of release[name]!.steps) {
        assert.doesNotMatch(uses, /cache/);
        assert.equal(given['cache'], undefined);
        if (uses.startsWith('actions/setup-node@')) assert.equal(given['package-manager-cache'], false, name);
      }
  });

  it('checks every downloaded file against the checksums that the building job has in its outputs, before anything else uses it', () => {
    const artifacts = {
      packages: ['build-packages', ''],
      images: ['build-images', ' --out .perch/images'],
      'robot-program': ['sign-robot-program', ' --out .perch/robot-program'],
    } as const;
    for (const name of names) {
      const downloads = stepsWith(name, /^actions\/download-artifact@/).map((i) => release[name]!.steps[i]!.with!);
      for (const { name: artifact, path } of downloads) {
        const [from, folder] = artifacts[artifact as keyof typeof artifacts];
        assert.equal(path, `.perch/${String(artifact)}`);
        const checks = release[name]!.steps.flatMap(({ run = '', env: given = {} }, i) =>
          new RegExp(`^node scripts/release\\.mjs --(?:check|publish|publish --dry-run) --sums "\\$SUMS"${folder}$`).test(run) &&
          given['SUMS'] === `\${{ needs.${from}.outputs.sums }}`
            ? [i]
            : [],
        );
        assert.equal(checks.length, 1, `${name}: ${String(artifact)}`);
        const others = stepsWith(name, /^(?!actions\/(?:checkout|download-artifact|setup-node|setup-python)@|node scripts\/release\.mjs --)./);
        assert.ok(
          others.every((i) => i > checks[0]!),
          name,
        );
        assert.ok(needsOf(name).includes(from), name);
      }
    }
    for (const name of ['sign-robot-program', 'build-packages', 'build-images']) {
      assert.deepEqual(release[name]!.outputs, { sums: '${{ steps.seal.outputs.sums }}' });
      const [sealed] = stepsWith(name, /^node scripts\/release\.mjs --seal.* >> "\$GITHUB_OUTPUT"$/);
      assert.equal(release[name]!.steps[sealed!]!.id, 'seal');
      assert.deepEqual(stepsWith(name, /^actions\/upload-artifact@/), [sealed! + 1], 'something runs between checksums and upload');
    }
  });

  it('records the provenance of packages, chart and wheel before anything is published, and of images by the digests of the registry', () => {
    const published = ['publish-python', 'publish-npm', 'publish-images', 'publish-page'];
    assert.deepEqual(
      names.filter((name) => name.startsWith('publish-')),
      published,
    );
    for (const name of published) assert.ok(allNeedsOf(name).includes('attest-packages'), name);
    const attested = release['attest-packages']!.steps.slice(-2).map((step) => step.with!['subject-checksums']);
    assert.deepEqual(attested, ['.perch/packages/SHA256SUMS', '.perch/robot-program/SHA256SUMS']);
    assert.equal(release['attest-images']!.steps.at(-1)!.with!['subject-checksums'], '${{ needs.publish-images.outputs.digests }}');
    const staged = release['build-packages']!.steps.find(({ run = '' }) => run === 'npm run release -- --stage')!;
    assert.deepEqual(staged.env, { PERCH_ROBOT_PROGRAM: '.perch/robot-program/robot-program.json' }, 'the command line brings the signed program');
    // npm and the index of Python packages record it themselves, where the job that publishes has the right (mic1on/onestep#179).
    const { with: wheel } = release['publish-python']!.steps.at(-1)!;
    assert.deepEqual(wheel, { 'packages-dir': '.perch/packages/python-dist', 'skip-existing': true });
    assert.match(readFileSync(join(root, 'scripts/release-manifests.mjs'), 'utf8'), /publishConfig: \{ access: 'public', provenance: true \}/);
  });

  it('pushes the images that deploy/Dockerfile has, and asks npm what it would refuse before the wheel is published', () => {
    const targets = [...readFileSync(join(root, 'deploy/Dockerfile'), 'utf8').matchAll(/^FROM (?:runtime|service) AS (\S+)$/gm)].map(
      ([, target]) => target!,
    );
    assert.deepEqual(
      env['IMAGES']!.split(' '),
      targets.filter((target) => target !== 'service'),
    );
    assert.ok(needsOf('publish-python').includes('check-npm'));
    assert.match(release['check-npm']!.steps.at(-1)!.run!, /--publish --dry-run/);
  });

  it('publishes the page of the release last, once all its files are there, since a published page may take no more (wado-lang/wado#1156)', () => {
    const last = names.at(-1)!;
    assert.equal(last, 'publish-page');
    assert.deepEqual([...new Set(allNeedsOf(last))].toSorted(), names.filter((name) => name !== last).toSorted());
    const lines = release[last]!.steps.at(-1)!.run!.trimEnd().split('\n').slice(-3);
    assert.match(lines[0]!, /gh release create .*--draft --verify-tag/);
    assert.match(lines[1]!, /gh release upload .* --clobber \.perch\/page\/\*$/);
    assert.match(lines[2]!, /gh release edit .* --draft=false$/);
  });
});

describe('commands of the release workflow, with stand-ins for docker, helm and gh', () => {
  const { env, jobs: release } = workflowOf('release.yml');
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perch-workflow-'));
    mkdirSync(join(folder, 'bin'));
    for (const path of [
      'packages/tarballs/perch-1.2.3.tgz',
      'packages/python-dist/perch_client-1.2.3.tar.gz',
      'packages/chart/perch-1.2.3.tgz',
      'robot-program/robot-program.json',
    ]) {
      mkdirSync(join(folder, '.perch', path, '..'), { recursive: true });
      writeFileSync(join(folder, '.perch', path), path);
    }
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function standIn(program: string, script: string): void {
    writeFileSync(join(folder, 'bin', program), `#!/bin/sh\necho "${program} $*" >> ${folder}/calls\n${script}\n`, { mode: 0o755 });
  }

  /** Runs a step as the runner does. @returns exit code, what it wrote to its outputs, and the calls of stand-ins */
  function step(job: string, pattern: RegExp, more: Record<string, string>): { code: number | null; outputs: string; calls: string[] } {
    const { run } = release[job]!.steps.find((each) => pattern.test(each.run ?? ''))!;
    for (const file of ['outputs', 'calls']) writeFileSync(join(folder, file), '');
    const { status } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run!], {
      cwd: folder,
      env: { PATH: `${folder}/bin:${process.env['PATH']}`, ...env, GITHUB_OUTPUT: join(folder, 'outputs'), GITHUB_REF_NAME: 'v1.2.3', ...more },
      encoding: 'utf8',
    });
    const lines = (file: string): string => readFileSync(join(folder, file), 'utf8');
    return { code: status, outputs: lines('outputs'), calls: lines('calls').trimEnd().split('\n') };
  }

  const registry = { REGISTRY: 'registry.example.org/team', REGISTRY_USER: 'user', REGISTRY_TOKEN: 'secret-of-the-test' };
  const digest = 'ab'.repeat(32);

  it('push each image and the chart, and name the digests that the registry has and the local ones not', () => {
    standIn('helm', 'cat > /dev/null');
    // With images kept by content, RepoDigests has the name from the archive, too.
    standIn(
      'docker',
      `[ "$1" != login ] || cat > /dev/null\n[ "$1" != inspect ] || { echo "perch/$4@sha256:${'00'.repeat(32)}"; echo "\${4%:*}@sha256:${digest}"; echo; }`,
    );
    const { code, outputs, calls } = step('publish-images', /docker push/, registry);
    assert.equal(code, 0);
    const images = env['IMAGES']!.split(' ');
    assert.equal(outputs, ['digests<<END', ...images.map((image) => `${digest}  ${registry.REGISTRY}/perch/${image}`), 'END', ''].join('\n'));
    assert.equal(calls.filter((call) => /^docker push registry\.example\.org\/team\/perch\/[a-z-]+:1\.2\.3$/.test(call)).length, images.length);
    assert.equal(calls.at(-1), 'helm push .perch/packages/chart/perch-1.2.3.tgz oci://registry.example.org/team/charts');
    assert.ok(calls.includes('docker login registry.example.org --username user --password-stdin'), 'the token would be in the list of processes');
  });

  it('stop where the registry has no digest of an image', () => {
    standIn('helm', 'cat > /dev/null');
    standIn('docker', `[ "$1" != login ] || cat > /dev/null\n[ "$1" != inspect ] || echo "perch/$4@sha256:${digest}"`);
    const { code, calls } = step('publish-images', /docker push/, registry);
    assert.notEqual(code, 0);
    assert.equal(calls.filter((call) => call.startsWith('docker push')).length, 1);
  });

  it('put all files with their checksums on the page of the release, and publish a page that another run left as a draft', () => {
    for (const exists of [false, true]) {
      standIn('gh', `[ "$2" != view ] || exit ${exists ? 0 : 1}`);
      rmSync(join(folder, '.perch/page'), { recursive: true, force: true });
      const { code, calls } = step('publish-page', /gh release/, { DIGESTS: `${digest}  registry.example.org/team/perch/gateway` });
      assert.equal(code, 0);
      assert.deepEqual(
        calls.map((call) => call.split(' ')[2]),
        exists ? ['view', 'upload', 'edit'] : ['view', 'create', 'upload', 'edit'],
      );
      const files = [
        'SHA256SUMS',
        'image-digests.txt',
        'perch-1.2.3.tgz',
        'perch-helm-chart-1.2.3.tgz',
        'perch_client-1.2.3.tar.gz',
        'robot-program.json',
      ];
      assert.deepEqual(readdirSync(join(folder, '.perch/page')).toSorted(), files);
      assert.deepEqual(
        calls
          .find((call) => call.startsWith('gh release upload'))!
          .split(' ')
          .slice(5),
        files.map((file) => `.perch/page/${file}`),
      );
      assert.equal(spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: join(folder, '.perch/page') }).status, 0);
    }
  });
});

describe('checksums of a release', () => {
  let folder: string;
  let sums: string;
  let writeSums: (folder: string) => Promise<string>;
  let problemsOfSums: (folder: string, expected?: string) => Promise<string[]>;
  before(async () => {
    const module = (await import(join(root, 'scripts/release-sums.mjs'))) as { writeSums: typeof writeSums; problemsOfSums: typeof problemsOfSums };
    ({ writeSums, problemsOfSums } = module);
  });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perch sums '));
    for (const path of ['tarballs', 'python-dist']) mkdirSync(join(folder, path));
    writeFileSync(join(folder, 'tarballs/perch-1.2.3.tgz'), 'package');
    writeFileSync(join(folder, 'python-dist/perch_client-1.2.3-py3-none-any.whl'), 'wheel');
    writeFileSync(join(folder, 'packages.json'), '[]');
    writeFileSync(join(folder, 'notes.txt'), 'is not published');
    sums = await writeSums(folder);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are those of sha256sum, and cover what is published', async () => {
    const { status, stdout } = spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder, encoding: 'utf8' });
    assert.equal(status, 0);
    assert.equal(stdout, 'packages.json: OK\ntarballs/perch-1.2.3.tgz: OK\npython-dist/perch_client-1.2.3-py3-none-any.whl: OK\n');
    assert.equal(spawnSync('sha256sum', ['SHA256SUMS'], { cwd: folder, encoding: 'utf8' }).stdout, `${sums}  SHA256SUMS\n`);
    assert.deepEqual(await problemsOfSums(folder, sums), []);
  });

  it('do not fit a file that was changed, is missing or was added, nor other checksums, nor where the building job has named none', async () => {
    const others = ['SHA256SUMS is not the one of the job that built'];
    assert.deepEqual(await problemsOfSums(folder, ''), others);
    writeFileSync(join(folder, 'python-dist/other.whl'), 'added');
    writeFileSync(join(folder, 'tarballs/perch-1.2.3.tgz'), 'changed');
    rmSync(join(folder, 'packages.json'));
    const problems = ['packages.json is missing', 'tarballs/perch-1.2.3.tgz was changed', 'python-dist/other.whl was added'];
    assert.deepEqual(await problemsOfSums(folder, sums), problems);
    const later = await writeSums(folder);
    assert.deepEqual(await problemsOfSums(folder, sums), others);
    assert.deepEqual(await problemsOfSums(folder, later), []);
    rmSync(join(folder, 'SHA256SUMS'));
    assert.deepEqual(await problemsOfSums(folder, later), [`SHA256SUMS is missing in ${folder}`]);
  });

  it('end a job whose files do not fit', () => {
    const { status, stderr } = spawnSync(process.execPath, [
      join(root, 'scripts/release.mjs'),
      '--check',
      '--sums',
      sums.replaceAll(/./g, '0'),
      '--out',
      folder,
    ]);
    assert.deepEqual([status, String(stderr)], [1, 'perch: SHA256SUMS is not the one of the job that built\n']);
  });
});

function secretsOf(release: Record<string, Job>): Record<string, string[]> {
  const found = Object.entries(release).map(([name, job]) => [
    name,
    [...new Set([...JSON.stringify(job).matchAll(/secrets\.(\w+)/g)].map(([, secret]) => secret!))],
  ]);
  return Object.fromEntries(found.filter(([, secrets]) => secrets!.length > 0)) as Record<string, string[]>;
}

describe('the table of guarantees in docs/testing.md', () => {
  it('names tests that there are', async () => {
    const { testFiles } = (await import(join(root, 'scripts/batch-list.mjs'))) as { testFiles(root: string, kind: 'short' | 'long'): string[] };
    const files = [...testFiles(root, 'short'), ...testFiles(root, 'long')];
    const [, table = ''] = readFileSync(join(root, 'docs/testing.md'), 'utf8').split('### Which test holds which guarantee\n');
    const names = [...table.split('\n### ')[0]!.matchAll(/`((?:packages|services|test-e2e|tools)\/[^`]+)`/g)].flatMap(([, name]) => expanded(name!));
    assert.ok(names.length > 60, String(names.length));
    const missing = names.filter((name) => {
      const path = name
        .replace(/\.long$/, '')
        .replaceAll('.', '\\.')
        .replaceAll('*', '[^/]*');
      const long = name.endsWith('.long') ? '\\.long' : '(?:\\.long)?';
      return !files.some((file) => new RegExp(`^${path}(?:/.*|(?:\\.redis)?${long})\\.test\\.ts$`).test(file));
    });
    assert.deepEqual(missing, []);
  });
});

/** `a/{b,c}` as `a/b` and `a/c`. */
function expanded(name: string): string[] {
  const match = /^(.*)\{([^}]*)\}(.*)$/.exec(name);
  return match === null ? [name] : match[2]!.split(',').map((one) => `${match[1]}${one}${match[3]}`);
}
