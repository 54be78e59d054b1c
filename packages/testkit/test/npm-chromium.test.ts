import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { skipTest } from '@perch/testkit';
import { npmChromium } from '../src/npm-chromium.js';

describe('a browser from npm', () => {
  let dir = '';
  let spec = '';
  before(function () {
    if (process.platform !== 'linux' || process.arch !== 'x64') skipTest(this, 'the package is for Linux on x64');
  });
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'perch-browser-'));
    spec = join(dir, 'package');
    packageLikeChromium(spec);
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('unpacks the browser into the cache with its libraries and fonts, and reuses it', async () => {
    const cache = join(dir, 'cache');
    const { path, env } = await npmChromium(cache, { spec, integrity: null });
    assert.equal(execFileSync(path, { encoding: 'utf8' }), 'a browser\n');
    assert.deepEqual(readdirSync(env['LD_LIBRARY_PATH']!), ['libnss3.so']);
    assert.equal(readdirSync(cache).length, 1, 'the archive is removed');
    rmSync(spec, { recursive: true });
    assert.equal((await npmChromium(cache, { spec, integrity: null })).path, path);
  });

  it('refuses a package with another integrity than the pinned one and leaves no files', async () => {
    const cache = join(dir, 'cache');
    await assert.rejects(npmChromium(cache, { spec, integrity: 'sha512-other' }), /is not the package that was pinned/);
    assert.deepEqual(readdirSync(cache), []);
  });

  it('rejects with the error of npm when the package cannot be downloaded', async () => {
    const missing = join(dir, 'missing');
    await assert.rejects(npmChromium(join(dir, 'cache'), { spec: missing, integrity: null }), /npm pack .*missing: /);
  });
});

function packageLikeChromium(folder: string): void {
  const bin = join(folder, 'bin');
  mkdirSync(join(folder, 'lib'), { recursive: true });
  mkdirSync(bin);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'browser', version: '1.0.0', files: ['bin'] }));
  writeFileSync(join(folder, 'lib/libnss3.so'), '');
  execFileSync('tar', ['-cf', join(folder, 'al2023.tar'), '-C', folder, 'lib']);
  writeFileSync(join(bin, 'al2023.tar.br'), brotliCompressSync(execFileSync('cat', [join(folder, 'al2023.tar')])));
  writeFileSync(join(bin, 'chromium.br'), brotliCompressSync('#!/bin/sh\necho a browser\n'));
}
