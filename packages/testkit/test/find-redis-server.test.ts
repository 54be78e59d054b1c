import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findRedisServer, requireRedisServer } from '@perch/local-redis';

describe('findRedisServer', () => {
  let dir = '';
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'perch-find-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const executable = (path: string): string => {
    const file = join(dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
    return file;
  };

  it('returns the first redis-server or valkey-server on PATH, even if one was downloaded', () => {
    const path = executable('b/valkey-server');
    executable('c/redis-server');
    executable('cache/redis-server/usr/bin/redis-server');
    const env = { PATH: `:${dir}/a:${dir}/b:${dir}/c`, PERCH_TEST_CACHE: join(dir, 'cache') };
    assert.deepEqual(findRedisServer(env), { kind: 'valkey-server', path });
  });

  it('returns the downloaded server with the folders of its libraries when none is on PATH', () => {
    const path = executable('cache/redis-server/usr/bin/redis-server');
    const library = executable('cache/redis-server/usr/lib/x86_64-linux-gnu/libjemalloc.so.2');
    const found = findRedisServer({ PATH: join(dir, 'a'), PERCH_TEST_CACHE: join(dir, 'cache') });
    assert.deepEqual(found, { kind: 'redis-server', path, libraryPath: dirname(library) });
  });

  it('returns null if there is no server; requireRedisServer then throws with advice', () => {
    const env = { PERCH_TEST_CACHE: join(dir, 'cache') };
    assert.equal(findRedisServer(env), null);
    assert.throws(() => requireRedisServer(env), /no redis-server and no valkey-server on PATH.*npm test/);
  });
});
