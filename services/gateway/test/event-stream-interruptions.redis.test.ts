import assert from 'node:assert/strict';
import { needsRedisServer, redisProcess, until, EventStreamClient } from '@perch/testkit';
import { GatewayUnderTest } from './gateway-under-test.js';

describe('event streams while the gateway stops or Redis is down', () => {
  it('sends a last event with the id to continue from when the gateway drains', async () => {
    const system = await GatewayUnderTest.start({ drainMs: 25_000 });
    try {
      const owner = await system.ownerOnline();
      await system.link.event(owner.robot, 'tap');
      const stream = await EventStreamClient.open(`${system.base}/v1/robots/${owner.robot}/events`, { apiKey: owner.apiKey });
      await until(() => stream.messages.length === 1);
      const before = performance.now();
      await system.gateway.stop(AbortSignal.timeout(40_000));
      assert.ok(performance.now() - before < 20_000);
      assert.equal(await stream.closed, true);
      const { event, id, data } = stream.records.at(-1)!;
      assert.deepEqual([event, id, data.code, data.request_id], ['end', '1', 'draining', stream.headers.get('x-request-id')]);
      assert.match(data.next, /^Open the stream again with the id of this record as Last-Event-ID/);
    } finally {
      await system.stop();
    }
  });

  it('misses no event while the subscription or Redis was lost, and continues the stream', async function () {
    needsRedisServer(this);
    const redis = await redisProcess();
    const system = await GatewayUnderTest.start({ url: redis.url });
    try {
      const owner = await system.ownerOnline();
      const stream = await EventStreamClient.open(`${system.base}/v1/robots/${owner.robot}/events`, { apiKey: owner.apiKey });
      const { commands } = system.store.connections;
      const sent: number[] = [];
      for (let round = 0; round < 5; round++) {
        await (commands as { call(...args: string[]): Promise<unknown> }).call('CLIENT', 'KILL', 'TYPE', 'pubsub');
        for (let i = 0; i < 3; i++) sent.push(await system.link.event(owner.robot, 'tap'));
        await until(() => stream.messages.length === sent.length, { what: `${sent.length} events` });
      }
      process.kill(redis.pid!, 'SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, 3000));
      process.kill(redis.pid!, 'SIGCONT');
      // Once appending works, the robot-link's connections are restored.
      sent.push(await until(() => system.link.event(owner.robot, 'pat').catch(() => null)));
      await until(() => stream.messages.length >= sent.length);
      assert.deepEqual(
        stream.messages.map(({ id }) => Number(id)),
        sent,
      );
      stream.close();
    } finally {
      await system.stop();
      await redis.stop();
    }
  });
});
