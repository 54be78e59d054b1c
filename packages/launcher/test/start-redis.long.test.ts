import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedisServer } from '@perch/local-redis';
import { needsRedisServer, skipTest, until } from '@perch/testkit';
import { anyPorts, ask, descendants, isAlive, onStarts, pathWithoutRedis, robotOf, Start, type Ready } from './starts.js';

onStarts('its Redis', ({ start, state }) => {
  it('keeps account, key and robot, and the events and their numbering without a gap, after Ctrl-C and another start', async function () {
    const binary = findRedisServer(process.env);
    if (binary === null) return skipTest(this, 'the embedded Redis does not persist data');
    const read = async (ready: Ready, query = ''): Promise<{ events: { seq: number; name: string }[]; first_seq: number }> => {
      const headers = { authorization: `Bearer ${ready.api_key}` };
      const response = await fetch(`${ready.base_url}/v1/robots/${ready.robot}/events${query}`, { headers });
      return (await response.json()) as { events: { seq: number; name: string }[]; first_seq: number };
    };
    let demo: Pick<Ready, 'account' | 'api_key' | 'robot' | 'robot_token'> | undefined;
    let before: { seq: number; name: string }[] = [];
    for (let round = 0; round < 2; round++) {
      const system = start(['--json', ...anyPorts]);
      const ready = await system.ready();
      const { account, api_key, robot, robot_token } = ready;
      demo ??= { account, api_key, robot, robot_token };
      assert.deepEqual({ account, api_key, robot, robot_token }, demo);
      assert.equal(statSync(join(state(), 'demo.json')).mode & 0o777, 0o600);
      const next = await read(ready, `?after=${before.length}&seconds=20`);
      assert.ok(next.first_seq <= before.length + 1, 'no gap for a reader that goes on');
      const { events, first_seq: firstSeq } = await read(ready);
      assert.ok(events.length > before.length, 'the robot connected');
      assert.deepEqual(events.slice(0, before.length), before);
      assert.deepEqual(
        events.map(({ seq }) => seq),
        events.map((_, i) => i + 1),
      );
      assert.equal(firstSeq, 1);
      before = events;
      system.process.kill('SIGINT');
      assert.equal(await system.ended, 0);
    }
  });

  it('uses the embedded Redis if there is no other, warns that it does not persist data, and leaves no process running after Ctrl-C', async () => {
    const system = start(['--json', ...anyPorts], { PATH: pathWithoutRedis(), PERCH_TEST_CACHE: '/nowhere' });
    const ready = await system.ready();
    assert.match(system.err, /does not persist data/);
    assert.equal((await ask(ready, { question: 'Tea or coffee?', answers: ['Tea', 'Coffee'] }))['outcome'], 'answered');
    const processes = descendants(system.process.pid!);
    assert.ok(processes.length >= 3, 'three services');
    system.process.kill('SIGINT');
    assert.equal(await system.ended, 0, system.err);
    await until(() => !processes.some(isAlive), { what: 'all processes to end' });
  });

  it('uses the Redis server that npm test downloaded if none is on PATH, and persists its files', async function () {
    const binary = needsRedisServer(this);
    const cache = join(state(), 'cache');
    // Stands in for the unpacked Debian package, with the server of this machine.
    mkdirSync(join(cache, 'redis-server/usr/bin'), { recursive: true });
    const script = `#!/bin/sh\nLD_LIBRARY_PATH='${binary.libraryPath ?? ''}' exec '${binary.path}' "$@"\n`;
    writeFileSync(join(cache, 'redis-server/usr/bin/redis-server'), script, { mode: 0o755 });
    const system = start(['--json', ...anyPorts, '--no-robot'], { PATH: pathWithoutRedis(), PERCH_TEST_CACHE: cache });
    assert.equal((await robotOf(await system.ready())).online, false, '--no-robot');
    assert.match(system.err, /Redis: redis-server \(downloaded by npm test\), files in /);
    assert.equal(await system.end(), 0, system.err);
  });

  it('two starts of one checkout at the same time, with different folders, have a Redis each', async () => {
    const other = mkdtempSync(join(tmpdir(), 'perch state '));
    const first = await start(['--json', ...anyPorts]).ready();
    const second = new Start(['--json', ...anyPorts], other);
    try {
      const ready = await second.ready();
      assert.notEqual(ready.redis_url, first.redis_url);
      assert.equal((await robotOf(first)).online, true);
      assert.equal((await robotOf(ready)).online, true);
    } finally {
      await second.endIfRunning();
      rmSync(other, { recursive: true, force: true });
    }
  });
});
