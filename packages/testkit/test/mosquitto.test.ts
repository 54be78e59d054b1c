import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMosquitto, unpackDebianMosquitto } from '../src/mosquitto/provide-mosquitto.js';

describe('mosquitto for the bench', () => {
  let dir = '';
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'perch-mosquitto-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const program = (name: string): string => {
    const file = join(dir, name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, '#!/bin/sh\n');
    chmodSync(file, 0o755);
    return file;
  };

  it('is the one on PATH, else the unpacked one with its own libraries', () => {
    const env = { PATH: join(dir, 'bin'), PERCH_TEST_CACHE: join(dir, 'cache') };
    assert.equal(findMosquitto(env), null);
    const unpacked = program('cache/mosquitto/usr/sbin/mosquitto');
    const libraries = join(dir, 'cache/mosquitto/usr/lib/x86_64-linux-gnu');
    mkdirSync(libraries, { recursive: true });
    assert.deepEqual(findMosquitto(env), { path: unpacked, libraryPath: libraries });
    assert.deepEqual(findMosquitto({ ...env, PATH: join(dir, 'bin') }), { path: unpacked, libraryPath: libraries });
    const onPath = program('bin/mosquitto');
    assert.deepEqual(findMosquitto(env), { path: onPath });
  });

  it('gives the reason and leaves no files where it cannot be downloaded', async () => {
    await assert.rejects(unpackDebianMosquitto(join(dir, 'cache/mosquitto'), { statusFile: join(dir, 'none') }), /not Debian or Ubuntu/);
    assert.deepEqual(readdirSync(join(dir, 'cache')), []);
  });
});
