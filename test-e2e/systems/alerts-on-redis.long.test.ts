import { until } from '@perch/testkit';
import { onAlertSystem } from '../fixture/telemetry/alert-system.js';

onAlertSystem('redis', { gateways: 1, links: 1, renderers: 1 }, (at) => {
  it('PerchRedisUnreachable fires while Redis is stopped, and the calls that fail meanwhile make PerchCallsFailing fire', async () => {
    const { redis, watch } = at();
    await redis.kill('SIGSTOP');
    try {
      await watch.untilFires('PerchRedisUnreachable');
      await watch.untilFires('PerchCallsFailing');
    } finally {
      await redis.kill('SIGCONT');
    }
    await watch.untilEnds('PerchRedisUnreachable');
  });

  it('PerchRedisLostWrites fires when a number that was stored in a transaction is gone, until an operator acknowledges the loss', async () => {
    const { system, watch } = at();
    const { commands } = system.store.connections;
    // A restart that drops transactions leaves this state: lost-writes.redis.test.ts of the store shows it with a real one.
    await until(async () => (await commands.get('perch:{numbering:0}:mark-alone')) !== null);
    await commands.del('perch:{numbering:0}:mark-together');
    await watch.untilFires('PerchRedisLostWrites');
    await system.store.lostWrites.forget(0);
    await watch.untilEnds('PerchRedisLostWrites');
  });

  it('PerchRedisEvicts fires while Redis may evict keys, and PerchRedisEvictedKeys when it did', async () => {
    const { redis, redisProxy, watch } = at();
    await redis.ask(['SET', 'other', 'x', 'EX', '3600']);
    await redis.ask(['CONFIG', 'SET', 'maxmemory-policy', 'volatile-ttl']);
    redisProxy.cut();
    await watch.untilFires('PerchRedisEvicts');
    // Everything that expires goes, as it does in a Redis that stays full.
    await redis.ask(['CONFIG', 'SET', 'maxmemory', '1']);
    await redis.ask(['CONFIG', 'SET', 'maxmemory', '0']);
    await redis.ask(['CONFIG', 'SET', 'maxmemory-policy', 'noeviction']);
    await watch.untilFires('PerchRedisEvictedKeys');
    await watch.untilEnds('PerchRedisEvicts');
  });

  it('PerchRedisCommandsRefused fires when the user of the services lacks a permission, until they connect again with it', async () => {
    const { redis, redisProxy, watch } = at();
    await redis.ask(['ACL', 'SETUSER', 'default', '-time']);
    try {
      await watch.untilFires('PerchRedisCommandsRefused');
    } finally {
      await redis.ask(['ACL', 'SETUSER', 'default', '+time']);
    }
    redisProxy.cut();
    await watch.untilEnds('PerchRedisCommandsRefused');
  });

  it('PerchRedisNotMaster and PerchRedisRefusing fire while the services are connected to a replica', async () => {
    const { redis, watch } = at();
    await redis.ask(['REPLICAOF', '127.0.0.1', '1']);
    try {
      await watch.untilFires('PerchRedisNotMaster');
      await watch.untilFires('PerchRedisRefusing');
    } finally {
      await redis.ask(['REPLICAOF', 'NO', 'ONE']);
    }
    await watch.untilEnds('PerchRedisNotMaster');
  });

  it('PerchRedisSlow and PerchCommandsLate fire while the network to Redis is slow, and PerchRedisMemoryNearlyFull near maxmemory', async () => {
    const { redisProxy, system, watch } = at();
    const { commands } = system.store.connections;
    const used = Number(/used_memory:(\d+)/.exec(await commands.info('memory'))![1]);
    await commands.config('SET', 'maxmemory', String(Math.round(used / 0.95)));
    await watch.untilFires('PerchRedisMemoryNearlyFull');
    await commands.config('SET', 'maxmemory', '0');
    redisProxy.conditions = { delayMs: [60, 70] };
    try {
      await watch.untilFires('PerchRedisSlow');
      await watch.untilFires('PerchCommandsLate');
    } finally {
      redisProxy.conditions = {};
    }
  });
});
