/** `helm upgrade` from the last release: what Kubernetes does not let change, and values that were accepted. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newestRelease, skipTest } from '@perch/testkit';
import { checkedValues, type Values } from '../src/chart-values.ts';
import { chartFolder, type KubernetesObject } from '../src/render-chart.ts';
import type { TemplateEngine } from '../src/template-engine.ts';
import { requireEngine } from './engine.ts';
import { defaults, minimal, routes } from './values.ts';

/** Values that 0.10.0 has, too. */
const switchedOn: Values = {
  redis: { existingSecret: { name: 'perch-redis' }, ca: { secretName: 'redis-ca' } },
  commonLabels: { team: 'robots' },
  settings: { PERCH_SPEECH_KEY: 'x', PERCH_ACCOUNT_STORAGE_MB: 60 },
  publicUrl: 'https://perch.example.com',
  mail: { from: 'Perch <perch@example.com>', existingSecret: { name: 'perch-mail' } },
  traces: { endpoint: 'http://otel-collector.monitoring:4318' },
  gateway: { autoscaling: { enabled: true }, service: { type: 'LoadBalancer' }, podLabels: { tier: 'web' } },
  mqttBridge: { enabled: true, mqttUrl: 'mqtt://mosquitto.home.svc', existingSecret: { name: 'perch-mqtt' } },
  networkPolicy: { redis: { ports: [6379, 26379] }, clients: [{ podSelector: { matchLabels: { app: 'ingress' } } }] },
  monitoring: { serviceMonitor: { enabled: true }, robots: { enabled: true } },
  cli: { enabled: true },
};

describe('an upgrade of the chart from the last release', function () {
  let engine: TemplateEngine;
  let folder = '';
  before(function () {
    engine = requireEngine(this);
    const { commit } = newestRelease();
    const cwd = fileURLToPath(new URL('../../..', import.meta.url));
    if (spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd, stdio: 'ignore' }).status !== 0)
      skipTest(this, `the commit ${commit} of the last release is not in this clone`);
    folder = mkdtempSync(join(tmpdir(), 'perch-last-chart-'));
    const archive = execFileSync('git', ['archive', commit, 'deploy/helm/perch'], { cwd, maxBuffer: 64 * 1024 * 1024 });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
  });
  after(() => {
    if (folder !== '') rmSync(folder, { recursive: true });
  });

  for (const [title, own] of Object.entries({ defaults, minimal, routes, 'most values': switchedOn }))
    it(`accepts the values of the last release and changes nothing that Kubernetes does not let change: ${title}`, () => {
      const render = (chart: string): Map<string, KubernetesObject> => {
        const objects = engine.render({ chart, release: 'perch', namespace: 'robots', values: checkedValues(chart, own) }) as KubernetesObject[];
        return new Map(objects.map((object) => [`${object.kind}/${object.metadata.name}`, object]));
      };
      const [last, next] = [render(join(folder, 'deploy/helm/perch')), render(chartFolder)];
      assert.deepEqual(
        [...last.keys()].filter((id) => !next.has(id)),
        [],
      );
      for (const [id, { kind, spec }] of last) {
        const of = (object: unknown): unknown => {
          const { selector, type, clusterIP, ports } = object as Record<string, unknown>;
          return { Deployment: { selector }, Service: { selector, type, clusterIP, ports } }[kind];
        };
        assert.deepEqual(of(next.get(id)!['spec'] ?? {}), of(spec ?? {}), id);
      }
    });
});
