import assert from 'node:assert/strict';
import { setImmediate as nextCheckPhase } from 'node:timers/promises';
import { redisAt, redisUrl, until } from '@perch/testkit';
import { Cluster } from 'ioredis';
import { connect, type Connections } from '../src/redis/connections.js';

/** Longer than the limits below, and enough for Redis to reply on a busy machine. */
const stoppedForMs = 1000;
const limitMs = 200;

/** Stops this thread as SIGSTOP does: Redis replies meanwhile, and timers that expired run before sockets are read. */
function stopThread(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stoppedForMs);
}

describe('time limits of Redis commands', () => {
  let redis: Connections;
  before(async () => {
    redis = await connect(redisAt(await redisUrl()));
  });
  after(async () => {
    await redis?.close();
  });

  for (const [limit, options] of [
    ['command', { commandTimeout: limitMs, socketTimeout: undefined }],
    ['connection', { commandTimeout: undefined, socketTimeout: limitMs }],
  ] as const) {
    it(`a process that was stopped for longer than the time limit of a ${limit} gets the reply that arrived meanwhile`, async () => {
      const connection = redis.duplicate({ ...options, retryStrategy: () => null });
      try {
        await until(() => connection.status === 'ready');
        await connection.get('perch:{time-limits}');
        await nextCheckPhase();
        const reply = connection.get('perch:{time-limits}');
        stopThread();
        assert.equal(await reply, null);
        assert.equal(connection.status, 'ready');
      } finally {
        connection.disconnect();
      }
    });
  }

  it('a command whose reply does not arrive times out, and its connection is closed', async () => {
    const connection = redis.duplicate({ commandTimeout: limitMs, socketTimeout: 2 * limitMs, retryStrategy: () => null });
    try {
      await until(() => connection.status === 'ready');
      await connection.get('perch:{time-limits}');
      const sockets = (connection instanceof Cluster ? connection.nodes('all') : [connection]).flatMap(({ stream }) => stream ?? []);
      const closed = new Promise<void>((resolve) => {
        for (const socket of sockets) socket.once('close', () => resolve());
      });
      for (const socket of sockets) socket.pause();
      await assert.rejects(connection.get('perch:{time-limits}'), /^Error: Command timed out$/);
      await closed;
    } finally {
      connection.disconnect();
    }
  });
});
