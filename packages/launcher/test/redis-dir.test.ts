import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimRedisDir } from '../src/open-redis.js';

describe('the directory of the append-only file', () => {
  let state = '';
  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), 'perch-state-'));
  });
  afterEach(() => rmSync(state, { recursive: true, force: true }));

  it('gives the directory to only one start at a time', async () => {
    const other = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    writeFileSync(join(state, 'redis.claim'), `${other.pid}\n`);
    assert.equal(await claimRedisDir(state), null);
    other.kill();
    await once(other, 'exit');
    const dir = await claimRedisDir(state);
    assert.equal(dir?.path, join(state, 'redis'));
  });

  it('the directory of the append-only file can be claimed again after its release, and after its holder exited', async () => {
    const first = await claimRedisDir(state);
    first?.release();
    assert.notEqual(await claimRedisDir(state), null);
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(join(state, 'redis.claim'), `${pid}\n`);
    assert.notEqual(await claimRedisDir(state), null);
  });

  it('waits until the server of a killed start has exited', async () => {
    const { pid: dead } = spawnSync(process.execPath, ['-e', '']);
    const server = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 400)'], { stdio: 'ignore' });
    const ended = once(server, 'exit').then(() => 'ended');
    writeFileSync(join(state, 'redis.claim'), `${dead} ${server.pid}\n`);
    const claimed = claimRedisDir(state).then(() => 'claimed');
    assert.equal(await Promise.race([ended, claimed]), 'ended');
    assert.equal(await claimed, 'claimed');
  });
});
