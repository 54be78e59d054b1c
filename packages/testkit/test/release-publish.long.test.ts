/**
 * Publishes small packages with npm to a registry of this test, which keeps what npm sends, as the repository npm/registry documents it, and refuses what it
 * is told to refuse.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

const run = promisify(execFile);
const scripts = new URL('../../../scripts/', import.meta.url);
const publisher = new URL('release-publish.mjs', scripts).href;
const packer = new URL('release-checks.mjs', scripts).href;
const names = ['@perch-test/client', 'perch-test'];

const program = `
import { publishRest } from ${JSON.stringify(publisher)};
import { pack } from ${JSON.stringify(packer)};
const { folders, to, dryRun } = JSON.parse(process.argv[1]);
const staged = folders.map(({ name, folder }) => ({ name, version: '1.2.3', folder, tarball: pack({ folder }, to) }));
process.exitCode = publishRest(staged, { dryRun, log: (line) => console.log(line) }) ? 0 : 1;
`;

describe('publishing a release', () => {
  let work: string;
  let registry: Server;
  let packages: Map<string, { versions: Record<string, unknown> }>;
  let refused: string | null;
  let host: string;
  beforeEach(async () => {
    work = mkdtempSync(join(tmpdir(), 'perch-publish-'));
    packages = new Map();
    refused = null;
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
      const name = decodeURIComponent(request.url!.slice(1));
      const reply = (status: number, body: unknown): unknown =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      if (request.method === 'PUT') {
        const sent = JSON.parse(await text(request)) as { versions: Record<string, unknown> };
        if (name === refused) return reply(403, { error: 'you may not publish this package' });
        packages.set(name, sent);
        return reply(201, { ok: true });
      }
      const found = packages.get(name);
      return found === undefined ? reply(404, { error: 'not found' }) : reply(200, found);
    };
    registry = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
    await new Promise((resolve) => registry.once('listening', resolve));
    host = `127.0.0.1:${(registry.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    registry.closeAllConnections();
    await new Promise((resolve) => registry.close(resolve));
    rmSync(work, { recursive: true, force: true });
  });

  /** @param main contents of the packages */
  async function publishing({ dryRun = false, main = 'export {};\n' } = {}): Promise<{ code: number; lines: string }> {
    const folders = names.map((name) => {
      const folder = join(work, name.replace('/', '-'));
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.2.3', type: 'module', main: 'index.js' }));
      writeFileSync(join(folder, 'index.js'), main);
      return { name, folder };
    });
    return node(['--input-type=module', '-e', program, JSON.stringify({ folders, to: work, dryRun })]).then(({ code, out, err }) => ({
      code,
      lines: code === 0 ? out : out + err,
    }));
  }

  /** Runs Node with the registry of the test as npm's. */
  function node(args: string[], more: NodeJS.ProcessEnv = {}): Promise<{ code: number; out: string; err: string }> {
    writeFileSync(join(work, 'npmrc'), `registry=http://${host}/\n//${host}/:_authToken=token-of-the-test\n`);
    const given = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
    const settings = { npm_config_userconfig: join(work, 'npmrc'), npm_config_cache: join(work, 'cache'), npm_config_fetch_retries: '0' };
    return run(process.execPath, args, { env: { ...given, ...settings, npm_config_update_notifier: 'false', ...more }, cwd: work }).then(
      ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
      (error: { code: number; stdout: string; stderr: string }) => ({ code: error.code, out: error.stdout, err: error.stderr }),
    );
  }

  /** Makes a clone at a tag as the publishing job has it, with what another job has staged and sealed, and without any installed package. */
  async function clone(): Promise<{ release: (...args: string[]) => Promise<{ code: number; out: string; err: string }>; staged: string }> {
    const root = join(work, 'clone');
    const staged = join(root, '.perch/packages');
    for (const folder of ['scripts', '.perch/packages/tarballs', '.perch/packages/python-dist', 'source'])
      mkdirSync(join(root, folder), { recursive: true });
    for (const file of readdirSync(scripts).filter((each) => each.endsWith('.mjs'))) cpSync(new URL(file, scripts), join(root, 'scripts', file));
    writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'perch', version: '1.2.3', type: 'module' }));
    writeFileSync(join(root, '.gitignore'), '.perch/\nsource/\n');
    const git = (...args: string[]) => run('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...args], { cwd: root });
    await git('init', '--quiet');
    await git('add', '.');
    await git('commit', '--quiet', '-m', 'release');
    await git('tag', 'v1.2.3');
    const scripted = Object.fromEntries(
      ['prepublish', 'prepublishOnly', 'prepack', 'publish', 'postpublish'].map((name) => [name, `echo ran > ${work}/ran`]),
    );
    writeFileSync(join(root, 'source/package.json'), JSON.stringify({ name: 'perch-test', version: '1.2.3', scripts: scripted }));
    const { pack } = (await import(packer)) as { pack: (one: { folder: string }, to: string) => { integrity: string } };
    const { integrity } = pack({ folder: join(root, 'source') }, join(staged, 'tarballs'));
    writeFileSync(join(staged, 'packages.json'), JSON.stringify([{ name: 'perch-test', version: '1.2.3', file: 'perch-test-1.2.3.tgz', integrity }]));
    writeFileSync(join(staged, 'python-dist/perch_client-1.2.3-py3-none-any.whl'), 'wheel');
    const env = { NODE_AUTH_TOKEN: 'token', PERCH_REPOSITORY: 'https://example.org/of/the-test' };
    return { staged, release: (...args) => node([join(root, 'scripts/release.mjs'), ...args], env) };
  }

  it('what was staged by another job is published by a clone without any installed package, and no script of a package runs', async () => {
    const { release } = await clone();
    const sums = (await release('--seal')).out.trim().split('=')[1]!;
    assert.deepEqual([(await release('--publish', '--dry-run', '--sums', sums)).code, packages.size], [0, 0]);
    const { code, err } = await release('--publish', '--sums', sums);
    assert.equal(code, 0, err);
    assert.deepEqual([...packages.keys()], ['perch-test']);
    assert.equal(existsSync(join(work, 'ran')), false, 'a script of the package ran');
  });

  it('publishes nothing that differs from the checksums, or for which there is no wheel', async () => {
    const { release, staged } = await clone();
    const sums = (await release('--seal')).out.trim().split('=')[1]!;
    assert.match((await release('--publish', '--sums', '0'.repeat(64))).err, /SHA256SUMS is not the one of the job that built/);
    writeFileSync(join(staged, 'tarballs/perch-test-1.2.3.tgz'), 'another package');
    const changed = await release('--publish', '--sums', sums);
    assert.deepEqual([changed.code, changed.err], [1, 'perch: tarballs/perch-test-1.2.3.tgz was changed\n']);
    rmSync(join(staged, 'python-dist'), { recursive: true });
    await release('--seal');
    assert.match((await release('--publish')).err, /the wheel is not built/);
    assert.equal(packages.size, 0);
  });

  it('a release that broke off says what is published and what is not, and the same command publishes the rest', async () => {
    assert.deepEqual(await publishing({ dryRun: true }), { code: 0, lines: '' });
    assert.deepEqual([...packages.keys()], [], 'a dry run published');

    refused = '@perch-test/client';
    const broken = await publishing();
    assert.equal(broken.code, 1);
    assert.match(broken.lines, /^published: perch-test; not published: @perch-test\/client\. .*run the same command/m);
    assert.deepEqual([...packages.keys()], ['perch-test'], 'the name without a scope comes first, and nothing after a failure');

    refused = null;
    assert.deepEqual(await publishing(), { code: 0, lines: 'perch-test 1.2.3: the registry has it\n' });
    assert.deepEqual([...packages.keys()].toSorted(), names);
  });

  it('publishes nothing where the registry has one of the versions with other contents, or does not answer', async () => {
    await publishing();
    packages.delete('perch-test');
    const other = await publishing({ main: 'export const other = 1;\n' });
    assert.equal(other.code, 1);
    assert.match(other.lines, /@perch-test\/client 1\.2\.3 is published with other contents/);
    assert.equal(packages.has('perch-test'), false);

    registry.closeAllConnections();
    await new Promise((resolve) => registry.close(resolve));
    const silent = await publishing();
    assert.equal(silent.code, 1);
    assert.match(silent.lines, /perch-test: npm view: .*ECONNREFUSED/s);
  });
});
