/** Small runs with the real parts: built services, worker processes, robots, programs. */
import assert from 'node:assert/strict';
import { redisAccessTo, startCluster } from '@perch/launcher';
import { openStore, type Store } from '@perch/store';
import { redisUrl, skipTest } from '@perch/testkit';
import { defaultMix } from '../src/mix.js';
import { loadArguments } from '../src/options.js';
import type { Report } from '../src/report/report.js';
import { runLoad } from '../src/run.js';
import { removeLeftovers } from '../src/tenants.js';

const mix = { ...defaultMix, taps_per_robot_minute: 60, robots_per_account: 7, poll_seconds: 5, answer_after_ms: [100, 500] as const };

describe('npm run load', function () {
  this.timeout(180_000);
  let url: string;
  let store: Store;

  before(async function () {
    if (process.platform !== 'linux') skipTest(this, 'the load reads /proc');
    url = await redisUrl();
    store = await openStore({ ...redisAccessTo(url, process.env), instance: 'load-test' });
    await removeLeftovers(store);
  });
  after(() => store?.close());

  function run(args: readonly string[], signal: AbortSignal, log: (line: string) => void = () => undefined): Promise<Report> {
    const env = { ...process.env, PERCH_REDIS_URL: url };
    return runLoad({ args: loadArguments(['--robots', '20', '--rate', '20', '--minutes', '0.1', '--workers', '2', ...args]), mix, env, log, signal });
  }

  async function accountsOfRuns(): Promise<string[]> {
    return (await store.accounts.list()).map(({ email }) => email).filter((email) => email.endsWith('@load.invalid'));
  }

  it('loses and doubles no event and no command, uses all readers, and removes its accounts', async () => {
    const report = await run([], new AbortController().signal);
    const { robots, connected, actions, errors, events_sent, events_seen, lost, doubled, refused, problems, trouble } = report;
    const found = { robots, connected, errors, lost, doubled, refused, problems, trouble, missing: events_sent - events_seen };
    assert.deepEqual(found, { robots: 20, connected: 20, errors: 0, lost: 0, doubled: 0, refused: 0, problems: [], trouble: [], missing: 0 });
    assert.ok(actions > 50 && events_sent > 50 && report.commands.confirmed > 0, JSON.stringify({ actions, events_sent }));
    assert.equal(report.calls.leds.count > 0 && report.late.count > 0, true);
    assert.ok(report.processes.some(({ name, rss_mb: rss }) => name === 'robot-link' && rss.some((mb) => mb !== null && mb > 10)));
    assert.deepEqual(await accountsOfRuns(), []);
  });

  it('removes its accounts if it is aborted', async () => {
    const abort = new AbortController();
    const running = run([], abort.signal, (line) => {
      if (line.includes('calls a second')) abort.abort(new Error('ended'));
    });
    await assert.rejects(running, /ended/);
    assert.deepEqual(await accountsOfRuns(), []);
  });

  it('loads services that already run, and kills the given robot-link', async () => {
    const env = { ...process.env, PERCH_LOG_LEVEL: 'warn', PERCH_WEBHOOK_ALLOW_PRIVATE: 'true' };
    const cluster = await startCluster({ redisUrl: url, links: 2, webhooks: 1, drainMs: 500, env });
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
