import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { askRedis, startEmbeddedRedis, startRedisProcess, type LocalRedis, type RedisServerBinary } from '@perch/local-redis';
import { needsRedisServer, until } from '@perch/testkit';

let binary: RedisServerBinary;

const kinds = {
  process: (port = 0): Promise<LocalRedis> => startRedisProcess({ binary, port, appendOnly: true }),
  embedded: (port = 0): Promise<LocalRedis> => startEmbeddedRedis({ port }),
};

for (const [kind, start] of Object.entries(kinds)) {
  describe(`a local Redis (${kind})`, () => {
    before(function () {
      if (kind === 'process') binary = needsRedisServer(this);
    });

    it('listens only on 127.0.0.1', async () => {
      const server = await start();
      try {
        assert.equal(await askRedis(server.port, ['PING']), 'PONG');
        // 127.0.0.2 is loopback, too: a server on all interfaces would accept the connection.
        const socket = connect(server.port, '127.0.0.2');
        const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
        assert.equal(error.code, 'ECONNREFUSED');
      } finally {
        await server.stop();
      }
    });

    it('names the requested port in the error when the port is in use', async () => {
      const server = await start();
      try {
        await assert.rejects(start(server.port), new RegExp(`port ${server.port} is busy`));
      } finally {
        await server.stop();
      }
    });

    it('restarts on the same port after a kill, and reports a crash but not a stop', async () => {
      const server = await start();
      const crashes: string[] = [];
      server.onCrash((how) => crashes.push(how));
      try {
        const { port, pid } = server;
        await server.kill('SIGKILL');
        assert.equal(server.running, false);
        await assert.rejects(askRedis(port, ['PING']));
        await server.restart();
        assert.equal(server.port, port);
        assert.notEqual(server.pid, pid);
        assert.equal(await askRedis(port, ['PING']), 'PONG');
        assert.deepEqual(crashes, []);
        process.kill(server.pid, 'SIGKILL');
        await until(() => crashes.length === 1);
        assert.match(crashes[0]!, /SIGKILL|137/);
      } finally {
        await server.stop();
      }
    });

    it('closes its open connections when it is stopped', async () => {
      const server = await start();
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      const closed = once(socket, 'close');
      await server.stop();
      await closed;
      await assert.rejects(askRedis(server.port, ['PING']));
    });

    it('stops when the process that started it is killed with SIGKILL', async () => {
      const starter = spawn(process.execPath, [...process.execArgv, fileURLToPath(new URL('programs/starter.ts', import.meta.url)), kind], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = (await once(starter.stdout, 'data')) as [Buffer];
      const [pid, port] = line.toString().trim().split(' ').map(Number) as [number, number];
      assert.equal(await askRedis(port, ['PING']), 'PONG');
      starter.kill('SIGKILL');
      await until(() => !isAlive(pid), { what: `process ${pid} to end` });
    });
  });
}

describe('a redis-server process', () => {
  before(function () {
    binary = needsRedisServer(this);
  });

  it('keeps its data over a restart with an append-only file', async () => {
    const server = await kinds.process();
    try {
      await askRedis(server.port, ['SET', 'kept', 'yes']);
      await server.kill('SIGTERM');
      await server.restart();
      assert.equal(await askRedis(server.port, ['GET', 'kept']), 'yes');
    } finally {
      await server.stop();
    }
  });

  it('is asked for lists and longer texts, too, and rejects with its error', async () => {
    const server = await kinds.process();
    try {
      await askRedis(server.port, ['RPUSH', 'list', 'ä', 'b', 'c'.repeat(50_000)]);
      assert.equal(await askRedis(server.port, ['LRANGE', 'list', '0', '-1']), `ä\nb\n${'c'.repeat(50_000)}`);
      assert.equal(await askRedis(server.port, ['LRANGE', 'list', '5', '9']), '');
      assert.equal(await askRedis(server.port, ['MGET', 'none', 'list']), '\n');
      await assert.rejects(askRedis(server.port, ['GET', 'list']), /WRONGTYPE/);
    } finally {
      await server.stop();
    }
  });

  it('never evicts keys, and syncs its file every second', async () => {
    const server = await kinds.process();
    try {
      const info = await askRedis(server.port, ['INFO', 'memory']);
      assert.match(info, /maxmemory_policy:noeviction/);
      assert.match(await askRedis(server.port, ['INFO', 'persistence']), /aof_enabled:1/);
    } finally {
      await server.stop();
    }
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
