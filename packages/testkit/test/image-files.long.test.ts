import { strict as assert } from 'node:assert';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const { filesBelow } = (await import(new URL('../../../scripts/files-below.mjs', import.meta.url).href)) as {
  filesBelow(folders: string[]): string[];
};
const filesIn = (folder: string, part: string): string[] => filesBelow([join(folder, part)]).map((path) => relative(folder, path));

describe('the files of a container image', function () {
  this.timeout(180_000);
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'perch-image-'));
    execFileSync(process.execPath, [join(root, 'deploy/image/collect.mjs'), 'webhooks', folder], { stdio: 'pipe' });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('starts the service from the files of the image; it names the missing setting', () => {
    const { PATH = '' } = process.env;
    const { status, stderr } = spawnSync(process.execPath, [join(folder, 'services/webhooks/dist/main.js')], { env: { PATH }, encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /PERCH_REDIS_URL: not set/);
  });

  it('contains only files needed in production: no other service, sources, types or development dependencies', () => {
    assert.deepEqual(readdirSync(join(folder, 'services')), ['webhooks']);
    const files = filesIn(folder, 'packages');
    assert.ok(files.some((file) => file.endsWith('.lua')));
    assert.deepEqual(
      files.filter((file) => !file.includes('node_modules') && (/\.(?:ts|map)$/.test(file) || /^packages\/\w+\/(?:src|test)\//.test(file))),
      [],
    );
  });

  it('contains no types and source maps of installed packages', () => {
    const files = filesIn(folder, 'node_modules');
    assert.ok(files.some((file) => file.endsWith('.js')));
    assert.deepEqual(
      files.filter((file) => /\.(?:d\.[cm]?ts|map)$/.test(file)),
      [],
    );
  });

  it('lists every package with its version in bom.cdx.json', () => {
    const bom = JSON.parse(readFileSync(join(folder, 'bom.cdx.json'), 'utf8')) as { bomFormat: string; components: { name: string; purl: string }[] };
    assert.equal(bom.bomFormat, 'CycloneDX');
    const names = bom.components.map(({ purl }) => purl);
    assert.ok(names.some((purl) => /^pkg:npm\/ioredis@\d/.test(purl)));
    assert.equal(
      names.find((purl) => /^pkg:npm\/(?:mocha|typescript|oxlint)@/.test(purl)),
      undefined,
    );
  });
});

describe('the files of the image of the command line', function () {
  this.timeout(180_000);

  it('contain the robot program, where perch robot install reads it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'perch-image-'));
    try {
      execFileSync(process.execPath, [join(root, 'deploy/image/collect.mjs'), 'cli', folder], { stdio: 'pipe' });
      const program = "import { programFolder } from '@perch/installer/node'; console.log((await programFolder()).at(-1).path)";
      const read = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
        cwd: join(folder, 'packages/cli'),
        encoding: 'utf8',
      });
      assert.equal(read, 'main.py\n');
      assert.deepEqual(
        filesIn(folder, 'robots/micropython').toSorted(),
        filesIn(root, 'robots/micropython')
          .filter((path) => path.endsWith('.py'))
          .toSorted(),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('deploy/Dockerfile', () => {
  it('labels the images with the version of this tree if the build names none', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    assert.equal(/^ARG VERSION=(.+)$/m.exec(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'))?.[1], version);
  });

  it('has a target for every service and for the command-line tool', () => {
    const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8');
    const targets = [...dockerfile.matchAll(/^FROM (?:service|runtime) AS ([\w-]+)$/gm)].map(([, name]) => name);
    assert.deepEqual(targets.toSorted(), [...readdirSync(join(root, 'services')), 'perch', 'service'].toSorted());
  });

  it('fetches the packages with the pnpm that installs them, so that the commands without a network find it', () => {
    const fetched = /npx --yes (pnpm@\S+) fetch$/m.exec(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'))?.[1];
    for (const file of ['scripts/set-up.mjs', 'deploy/image/collect.mjs'])
      assert.equal(/^(?:export )?const pnpm = '(.+)';$/m.exec(readFileSync(join(root, file), 'utf8'))?.[1], fetched, file);
  });
});
