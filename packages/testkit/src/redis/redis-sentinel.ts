import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalRedis } from '@perch/local-redis';
import { redisProcess } from './redis-servers.js';
import { until } from '../until.js';

export interface LocalSentinels {
  readonly url: string;
  /** The first one is the initial master. */
  readonly servers: readonly LocalRedis[];
  master(): Promise<LocalRedis>;
  whole(): Promise<boolean>;
  stop(): Promise<void>;
}

const masterName = 'perch';
const sentinelCount = 3;

/** All servers write an append-only file. @param downAfterMs until the Sentinels replace the master; a busy machine may take 1 s to reply */
export async function redisSentinels(replicas = 2, downAfterMs = 1000): Promise<LocalSentinels> {
  const folder = mkdtempSync(join(tmpdir(), 'perch-sentinels-'));
  const started: LocalRedis[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  const start = async (options: Parameters<typeof redisProcess>[0]): Promise<LocalRedis> => {
    const server = await redisProcess(options);
    started.push(server);
    return server;
  };
  try {
    const settings = { 'repl-diskless-sync-delay': '0' };
    const first = await start({ appendOnly: true, settings });
    const replica = { appendOnly: true, settings: { ...settings, replicaof: `127.0.0.1 ${first.port}` } };
    const servers = [first, ...(await Promise.all(Array.from({ length: replicas }, () => start(replica))))];
    const sentinels = await Promise.all(
      Array.from({ length: sentinelCount }, async (_, i) => {
        const file = join(folder, `sentinel-${i}.conf`);
        writeFileSync(
          file,
          [
            `sentinel monitor ${masterName} 127.0.0.1 ${first.port} ${Math.floor(sentinelCount / 2) + 1}`,
            `sentinel down-after-milliseconds ${masterName} ${downAfterMs}`,
            `sentinel failover-timeout ${masterName} 5000`,
            `sentinel parallel-syncs ${masterName} 2`,
            '',
          ].join('\n'),
        );
        return start({ sentinelFile: file });
      }),
    );
    const ask = (sentinel: LocalRedis, ...words: string[]): Promise<string> => sentinel.ask(['SENTINEL', ...words]);
    const masterPort = async (sentinel: LocalRedis): Promise<number> =>
      Number((await ask(sentinel, 'GET-MASTER-ADDR-BY-NAME', masterName)).split('\n')[1]);
    const master = async (): Promise<LocalRedis> => {
      const ports = await Promise.all(sentinels.map((sentinel) => masterPort(sentinel).catch(() => 0)));
      const port = ports.find((each) => each !== 0 && ports.filter((other) => other === each).length > sentinelCount / 2);
      const server = servers.find((each) => each.port === port);
      if (server === undefined) throw new Error('the Sentinels do not agree on a master');
      return server;
    };
    const whole = async (): Promise<boolean> => {
      const info = await (await master()).ask(['INFO', 'replication']);
      return info.includes('role:master') && info.split('\n').filter((line) => /^slave\d+:.*state=online/.test(line)).length === replicas;
    };
    const quorum = async (sentinel: LocalRedis): Promise<boolean> => (await ask(sentinel, 'CKQUORUM', masterName)).startsWith(`OK ${sentinelCount} `);
    const ready = { what: 'the Sentinels to agree' };
    await until(async () => (await Promise.all(sentinels.map((each) => quorum(each).catch(() => false)))).every(Boolean), ready);
    await until(() => whole().catch(() => false), ready);
    return { url: `redis-sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${masterName}`, servers, master, whole, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
