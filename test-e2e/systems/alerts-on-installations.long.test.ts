/** Two installations on one real Prometheus, as two releases of the chart, one of which goes away with its targets. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  needsPrometheus,
  needsRedisServer,
  redisProcess,
  startPrometheus,
  until,
  writeShortenedRules,
  type LocalRedis,
  type PrometheusServer,
  type ScrapeJob,
} from '@perch/testkit';
import { VirtualRobot } from '@perch/virtual-robot';
import { SystemUnderTest } from '../fixture/system/system-under-test.js';

const names = ['production', 'staging'] as const;
type Name = (typeof names)[number];
const components = ['gateway', 'robot-link', 'renderer', 'webhooks'];
const robotCount = 12;

describe('two installations on one real Prometheus', () => {
  const installations = new Map<Name, { redis: LocalRedis; system: SystemUnderTest }>();
  let prometheus: PrometheusServer | undefined;
  const folder = mkdtempSync(join(tmpdir(), 'perch-rules-'));

  before(async function () {
    needsRedisServer(this);
    needsPrometheus(this);
    for (const name of names) await install(name);
    const rules = writeShortenedRules(folder, {
      rangesBy: 60,
      rangeMinMs: 2000,
      forBy: 60,
      forMaxMs: 5000,
      expected: names.flatMap((namespace) => components.map((component) => ({ labels: { namespace, release: 'perch', component }, count: 1 }))),
    });
    prometheus = await startPrometheus({ jobs: [jobOf(names)], rules, intervalS: 1 });
  });
  after(async () => {
    await prometheus?.stop();
    for (const { system, redis } of installations.values()) {
      await system.close();
      await redis.stop();
    }
    rmSync(folder, { recursive: true, force: true });
  });

  async function install(name: Name): Promise<void> {
    const redis = await redisProcess();
    const system = new SystemUnderTest();
    installations.set(name, { redis, system });
    await system.open({ gateways: 1, links: 1, renderers: 1 }, { redis: `redis://127.0.0.1:${redis.port}`, webhooks: 1 });
    const { account } = await system.tenant();
    for (let i = 0; i < robotCount; i++) {
      const { token } = await system.store.robots.create({ account });
      const robot = new VirtualRobot({ url: system.link(0), token, instant: true });
      system.keep(robot);
      await robot.start();
    }
  }

  /** The names of the instances are the same in both, as they may be in two clusters. */
  function jobOf(which: readonly Name[]): ScrapeJob {
    const targets = which.flatMap((namespace) =>
      installations.get(namespace)!.system.services.map(({ admin, service }) => ({
        url: admin,
        labels: { namespace, release: 'perch', component: service, instance: `${service}-0` },
      })),
    );
    return { name: 'perch', targets };
  }

  const firing = async (): Promise<string[]> => {
    const alerts = (await prometheus!.alerts()).filter(({ state, name }) => state === 'firing' && name !== 'PerchWatchdog');
    return alerts.map(({ name, labels }) => `${name} ${labels['namespace']} ${labels['component'] ?? ''}`.trim()).toSorted();
  };
  const valueOf = async (expr: string): Promise<number> => Number((await prometheus!.query(expr))[0]?.values[0]![1] ?? Number.NaN);
  const gone = [...components.map((component) => `PerchServiceGone production ${component}`), 'PerchRobotsLostAtOnce production'];

  it('no alert fires while both run', async () => {
    await until(async () => (await valueOf('min(sum_over_time(up{job="perch"}[10m]))')) >= 12, { timeoutMs: 60_000, everyMs: 200 });
    assert.deepEqual(await firing(), []);
    for (const namespace of names) assert.equal(await valueOf(`perch:robots_connected:sum{namespace="${namespace}"}`), robotCount);
  });

  it('alerts name the production that is gone, and last, while staging runs', async () => {
    const { system, redis } = installations.get('production')!;
    await system.close();
    await redis.stop();
    await prometheus!.retarget([jobOf(['staging'])]);
    // Alerts of rules that compare with the past alone have ended after 15 s by then.
    await until(async () => (await lasting()) >= 30, {
      timeoutMs: 180_000,
      everyMs: 500,
      what: 'the alerts of production to last',
    });
    const fired = await firing();
    for (const alert of gone) assert.ok(fired.includes(alert), `${alert} is not among ${fired.join()}`);
    assert.deepEqual(
      fired.filter((alert) => alert.includes('staging')),
      [],
    );
  });

  it('they end when production is back', async () => {
    await install('production');
    await prometheus!.retarget([jobOf(names)]);
    await until(async () => !(await firing()).some((alert) => gone.includes(alert)), {
      timeoutMs: 60_000,
      everyMs: 200,
      what: 'the alerts to end',
    });
  });

  /** For how many evaluations the alert that fired the shortest has fired. */
  async function lasting(): Promise<number> {
    const series = await prometheus!.query(
      'sum_over_time(ALERTS{alertname=~"PerchServiceGone|PerchRobotsLostAtOnce", namespace="production", alertstate="firing"}[10m])',
    );
    return series.length < gone.length ? 0 : Math.min(...series.map(({ values }) => Number(values[0]![1])));
  }
});
