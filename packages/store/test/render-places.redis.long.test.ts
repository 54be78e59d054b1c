import assert from 'node:assert/strict';
import { needsRedisServer, redisCluster, until } from '@perch/testkit';
import { Redis } from 'ioredis';
import type { RenderHandlers } from '../src/media/render-work.js';
import { onRenderPlaces } from './render-places-suite.js';
import { drawJob, openRenderInstance, ttlMs } from './render-system.js';

onRenderPlaces('4 job shards', { shards: 4 });
onRenderPlaces('1 job shard on a Cluster', { shards: 1, onCluster: true });
onRenderPlaces('4 job shards on a Cluster', { shards: 4, onCluster: true });

describe('a renderer on a Cluster that does not answer', () => {
  it('closes once the Cluster has been stopped, and so does a gateway with a caller that waits', async function () {
    needsRedisServer(this);
    const cluster = await redisCluster();
    const [renderer, gateway] = [await openRenderInstance({ url: cluster.url }), await openRenderInstance({ url: cluster.url })];
    try {
      let isDrawing = false;
      let stopDrawing = (): void => {};
      const none = (): Promise<never> => Promise.reject(new Error('not here'));
      const draw: RenderHandlers['draw'] = (_job, _uploads, signal) =>
        new Promise((_, reject) => {
          isDrawing = true;
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          stopDrawing = () => reject(new Error('the Cluster has been stopped'));
        });
      const worker = renderer.jobs.work({ draw, sound: none, speech: none }, { scenes: 2, uploads: 1, speech: 1 });
      await worker.ready();
      const result = assert.rejects(gateway.renders.obtain(drawJob(), { ttlMs }));
      await until(() => isDrawing);
      await cluster.stop();
      stopDrawing();
      await result;
    } finally {
      await Promise.all([renderer.close(), gateway.close()]);
      await cluster.stop();
    }
  });

  it('closes while no node of its Cluster answers', async function () {
    needsRedisServer(this);
    const cluster = await redisCluster();
    const none = (): Promise<never> => Promise.reject(new Error('not here'));
    const admins = cluster.masters.map(({ url }) => new Redis(url));
    try {
      const renderer = await openRenderInstance({ url: cluster.url });
      await renderer.jobs.work({ draw: none, sound: none, speech: none }, { scenes: 2, uploads: 1, speech: 1 }).ready();
      await Promise.all(admins.map((admin) => admin.call('CLIENT', 'PAUSE', 15_000, 'ALL')));
      await renderer.close();
    } finally {
      for (const admin of admins) admin.disconnect();
      await cluster.stop();
    }
  });
});
