/**
 * Publishes small packages with npm to a registry of this test, which keeps what npm sends, as the repository npm/registry documents it, and refuses what it
 * is told to refuse.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

const run = promisify(execFile);
const publisher = new URL('../../../scripts/release-publish.mjs', import.meta.url).href;
const packer = new URL('../../../scripts/release-checks.mjs', import.meta.url).href;
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
    writeFileSync(join(work, 'npmrc'), `registry=http://${host}/\n//${host}/:_authToken=token-of-the-test\n`);
    const given = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
    const settings = { npm_config_userconfig: join(work, 'npmrc'), npm_config_cache: join(work, 'cache'), npm_config_fetch_retries: '0' };
    const env = { ...given, ...settings, npm_config_update_notifier: 'false' };
    const args = ['--input-type=module', '-e', program, JSON.stringify({ folders, to: work, dryRun })];
    return run(process.execPath, args, { env, cwd: work }).then(
      ({ stdout }) => ({ code: 0, lines: stdout }),
      (error: { code: number; stdout: string; stderr: string }) => ({ code: error.code, lines: error.stdout + error.stderr }),
    );
  }

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
