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
