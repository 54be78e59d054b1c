/** The metrics of running system.services at /metrics, compared with docs/reference/metrics.md and checked by promtool. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ServiceName, ServiceProcess } from '@perch/launcher';
import { needsPromtool, privateRedis, until } from '@perch/testkit';
import { metric } from '../fixture/telemetry/metric.js';
import { useSystem } from '../fixture/system/system-under-test.js';

const page = readFileSync(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8');
const sections: Record<ServiceName, string> = { gateway: 'Gateway', 'robot-link': 'Robot-link', renderer: 'Renderer', webhooks: 'Webhooks' };

function documented(service: ServiceName): string[] {
  const titles = ['Every instance', 'Every instance that uses Redis', sections[service]];
  const texts = page.split(/^## /m).filter((section) => titles.some((title) => section.startsWith(`${title}\n`)));
  return texts.flatMap((text) => [...text.matchAll(/^\| `(perch_\w+)` /gm)].map(([, name]) => name!)).toSorted();
}

describe('the metrics of running system.services (one of each kind)', () => {
  after(() => system.redis?.kill('SIGCONT'));
  const system = useSystem({ gateways: 1, links: 1, renderers: 1 }, async () => ({ redis: await privateRedis(), webhooks: 1 }));

  const scrape = async ({ admin }: ServiceProcess): Promise<string> => (await fetch(`${admin}/metrics`)).text();

  it('each kind of instance serves the metrics that docs/reference/metrics.md lists for it, and no others', async () => {
    for (const instance of system.services) {
      const exposed = [...(await scrape(instance)).matchAll(/^# TYPE (perch_\w+) /gm)].map(([, name]) => name!);
      assert.deepEqual(exposed.toSorted(), documented(instance.service), instance.service);
    }
  });

  it('promtool accepts the metrics without a remark, after calls, pictures and a robot', async function () {
    needsPromtool(this);
    const tenant = await system.tenant();
    const { id } = await tenant.robot();
    assert.equal((await tenant.api().act(id, 'say', { text: 'Hello' })).status, 200);
    for (const instance of system.services) {
      const { stdout, stderr, status } = spawnSync('promtool', ['check', 'metrics'], { input: await scrape(instance), encoding: 'utf8' });
      assert.deepEqual([stdout, stderr, status], ['', '', 0], instance.service);
    }
  });

  it('metrics are served while Redis does not answer, without the values that only Redis has', async () => {
    const [renderer] = system.cluster.renderers;
    assert.match(await scrape(renderer!), /^perch_media_bytes \d/m);
    await system.redis!.kill('SIGSTOP');
    try {
      for (const instance of system.services) {
        await until(async () => (await metric(instance.admin, 'perch_redis_up')) === 0, { what: `${instance.service} to notice` });
        assert.match(await scrape(instance), /^perch_instance_phase\{phase="running"\} 1$/m);
      }
      await until(async () => !/^perch_(?:media|render_waiting|redis_memory)\w*[ {]/m.test(await scrape(renderer!)));
    } finally {
      await system.redis!.kill('SIGCONT');
    }
    for (const instance of system.services)
      await until(async () => (await metric(instance.admin, 'perch_redis_up')) === 1, {
        what: `${instance.service} to see Redis again`,
      });
  });
});
