import assert from 'node:assert/strict';
import { startCluster } from '@perch/launcher';
import { onLoadRuns } from './load-runs.js';

onLoadRuns('a storm', ({ url, run, accountsOfRuns }) => {
  it('loads services that already run, and kills the given robot-link', async () => {
    const env = { ...process.env, PERCH_LOG_LEVEL: 'warn', PERCH_WEBHOOK_ALLOW_PRIVATE: 'true' };
    const cluster = await startCluster({ redisUrl: url(), links: 2, webhooks: 1, drainMs: 500, env });
    try {
      const { gateways, links, renderers, webhooks } = cluster;
      const metrics = [...gateways, links[1]!, ...renderers, ...webhooks].map(({ admin }) => `${admin}/metrics`);
      const given = ['--base', gateways[0]!.address, '--link', links.map(({ address }) => address).join(','), '--metrics', metrics.join(',')];
      const report = await run(
        [...given, '--webhook-host', '127.0.0.1', '--storm', '--storm-pid', String(links[0]!.pid)],
        new AbortController().signal,
      );
      const { lost, doubled, connected, problems, storm, events, late_heartbeats: late } = report;
      assert.deepEqual({ lost, doubled, connected, problems }, { lost: 0, doubled: 0, connected: 20, problems: [] });
      assert.ok(storm!.lost > 0 && storm!.back === storm!.lost && events.webhook.robots > 0 && late !== null, JSON.stringify({ storm, late }));
      assert.ok(report.processes.filter(({ rss_mb: rss }) => rss.some((mb) => mb !== null && mb > 10)).length >= metrics.length);
    } finally {
      await cluster.stop();
    }
    assert.deepEqual(await accountsOfRuns(), []);
  });

  it('gets all robots back after a robot-link was killed, without loss or doubling', async () => {
    const { storm, lost, doubled, connected, problems } = await run(['--storm'], new AbortController().signal);
    assert.deepEqual({ lost, doubled, connected, problems }, { lost: 0, doubled: 0, connected: 20, problems: [] });
    assert.ok(storm !== null && storm.lost >= 5 && storm.back === storm.lost && storm.back_s !== null, JSON.stringify(storm));
  });
});
