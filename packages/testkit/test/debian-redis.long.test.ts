import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { tmpdir } from 'node:os';
import { askRedis, startRedisProcess, unpackedRedisServer } from '@perch/local-redis';
import { skipTest } from '@perch/testkit';
import { unpackDebianRedis } from '../src/redis/debian-redis.js';
import { provideRedisServer } from '../src/redis/provide-redis-server.js';

const dpkgStatus = '/var/lib/dpkg/status';

describe('a Redis server from the Debian package', function () {
  this.timeout(180_000);
  let dir = '';
  let path: string | undefined;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'perch-debian-'));
    path = process.env['PATH'];
  });
  afterEach(() => {
    process.env['PATH'] = path;
    rmSync(dir, { recursive: true, force: true });
  });

  it('downloads the server with the libraries that the machine lacks, and runs it with them', async function () {
    if (!existsSync(dpkgStatus)) skipTest(this, 'only Debian and Ubuntu have apt-get');
    // Simulates a machine on which neither Redis nor its memory allocator was ever installed.
    const installed = readFileSync(dpkgStatus, 'utf8').split('\n\n');
    const statusFile = join(dir, 'status');
    writeFileSync(statusFile, installed.filter((entry) => !/^Package: (?:redis|libjemalloc2$)/m.test(entry)).join('\n\n'));
    const target = join(dir, 'cache/redis-server');
    await unpackDebianRedis(target, { statusFile }).catch((error: Error) => {
      if (/resolve|connect|in time|Failed to fetch/i.test(error.message)) skipTest(this, `the package cannot be downloaded: ${error.message}`);
      throw error;
    });
    assert.deepEqual(readdirSync(join(dir, 'cache')), ['redis-server'], 'lists and packages are removed');

    const binary = unpackedRedisServer(target)!;
    const library = binary.libraryPath!.split(delimiter).find((folder) => existsSync(join(folder, 'libjemalloc.so.2')));
    assert.ok(library !== undefined);
    const server = await startRedisProcess({ binary });
    try {
      assert.equal(await askRedis(server.port, ['PING']), 'PONG');
      assert.ok(readFileSync(`/proc/${server.pid}/maps`, 'utf8').includes(join(library, 'libjemalloc.so.2')), 'it loaded the downloaded library');
    } finally {
      await server.stop();
    }
  });

  it('returns the reason and leaves no files if there is no apt-get', async () => {
    process.env['PATH'] = join(dir, 'nowhere');
    const progress: string[] = [];
    const env = { PATH: '/nowhere', PERCH_TEST_CACHE: join(dir, 'cache') };
    assert.match((await provideRedisServer(env, (line) => progress.push(line)))!, /^none could be downloaded: .*not Debian or Ubuntu/);
    assert.match(progress.join('\n'), /downloading the Debian package.*\n.*not Debian or Ubuntu/);
    assert.deepEqual(readdirSync(join(dir, 'cache')), []);
  });

  it('rejects when the download takes too long', async function () {
    if (!existsSync(dpkgStatus)) skipTest(this, 'only Debian and Ubuntu have apt-get');
    const slow = join(dir, 'bin');
    mkdirSync(slow);
    writeFileSync(join(slow, 'apt-get'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
    process.env['PATH'] = `${slow}${delimiter}${path}`;
    await assert.rejects(unpackDebianRedis(join(dir, 'cache/redis-server'), { timeoutMs: 300 }), /apt-get did not end in time/);
  });

  it('does not download the server if PERCH_TEST_DOWNLOAD=0 or PERCH_TEST_REDIS=embedded is set, or a server is on PATH', async () => {
    const none = { PATH: '/nowhere', PERCH_TEST_CACHE: join(dir, 'cache') };
    const say = (line: string): void => assert.fail(line);
    assert.match((await provideRedisServer({ ...none, PERCH_TEST_DOWNLOAD: '0' }, say))!, /PERCH_TEST_DOWNLOAD=0/);
    assert.equal(await provideRedisServer({ ...none, PERCH_TEST_REDIS: 'embedded' }, say), null);
    writeFileSync(join(dir, 'redis-server'), '#!/bin/sh\n', { mode: 0o755 });
    assert.equal(await provideRedisServer({ ...none, PATH: dir }, say), null);
  });
});
