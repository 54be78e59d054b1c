import assert from 'node:assert/strict';
import { privateRedis, TcpProxy, until } from '@perch/testkit';
import type { RenderHandlers } from '../src/media/render-work.js';
import { drawJob, openRenderInstance, ttlMs } from './render-system.js';

describe('the connections of a renderer to its queue', () => {
  it('take jobs again after a NAT gateway forgot them while there was nothing to do', async function () {
    this.timeout(60_000);
    const server = await privateRedis();
    const proxy = await TcpProxy.open({ host: '127.0.0.1', port: server.port });
    const gateway = await openRenderInstance({ url: server.url, isDirect: false });
    const renderer = await openRenderInstance({ url: `redis://127.0.0.1:${proxy.port}`, isDirect: false });
    const draw: RenderHandlers['draw'] = () => Promise.resolve({ kind: 'picture', format: 'png', w: 1, h: 1, data: Buffer.from('drawn') });
    const worker = renderer.jobs.work({ draw } as RenderHandlers, { scenes: 2, uploads: 2, speech: 2 });
    try {
      await worker.ready();
      assert.ok(await gateway.renders.obtain(drawJob(), { ttlMs }));
      proxy.conditions = { forgetIdleMs: 500 };
      // None of them is used as often, but the one for commands.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      proxy.conditions = {};
      // A call gives up before the renderer has noticed.
      const job = drawJob();
      await until(() => gateway.renders.obtain(job, { ttlMs }).catch(() => null), { what: 'the renderer to take the job' });
    } finally {
      await worker.close();
      await renderer.close();
      await gateway.close();
      await proxy.close();
      await server.stop();
    }
  });
});
