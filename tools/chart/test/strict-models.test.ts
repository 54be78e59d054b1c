import assert from 'node:assert/strict';
import type { KubernetesObject } from '../src/render-chart.ts';
import { problemsOf } from '../src/strict-models.ts';

function deployment(container: object = {}, pod: object = {}): KubernetesObject {
  const labels = { app: 'x' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'x', labels, annotations: { 'example.com/free': 'form' } },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...pod, containers: [{ name: 'x', image: 'x', env: [{ name: 'A', value: 'b' }], ...container }] } },
    },
  };
}

describe('the strict check of Kubernetes objects', () => {
  it('accepts a Deployment with free-form labels, annotations and resources', () => {
    assert.deepEqual(problemsOf(deployment({ resources: { requests: { 'example.com/gpu': '1' } } }, { nodeSelector: { pool: 'x' } })), []);
  });

  it('rejects unknown fields at any depth, and names their path', () => {
    assert.deepEqual(problemsOf(deployment({ readynessProbe: {} })), [
      'apps/v1 Deployment x: unknown field spec.template.spec.containers.0.readynessProbe',
    ]);
    assert.deepEqual(problemsOf(deployment({}, { securityContext: { runAsNonroot: true } })), [
      'apps/v1 Deployment x: unknown field spec.template.spec.securityContext.runAsNonroot',
    ]);
    assert.deepEqual(problemsOf({ ...deployment(), specs: {} }), ['apps/v1 Deployment x: unknown field specs']);
  });

  it('rejects a value of the wrong type and a missing field', () => {
    assert.match(problemsOf(deployment({ ports: [{ containerPort: '8080' }] }))[0]!, /containerPort must be integer/);
    assert.match(problemsOf({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' }, spec: {} })[0]!, /required property selector/);
  });

  it('rejects a kind without a model', () => {
    assert.match(problemsOf({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } })[0]!, /no model/);
  });

  it('rejects unknown fields of the Prometheus operator and of the Gateway API', () => {
    const monitor = { apiVersion: 'monitoring.coreos.com/v1', kind: 'ServiceMonitor', metadata: { name: 'x' } };
    assert.deepEqual(problemsOf({ ...monitor, spec: { selector: {}, endpoints: [{ port: 'admin', intervall: '1s' }] } }), [
      'monitoring.coreos.com/v1 ServiceMonitor x: unknown field spec.endpoints.0.intervall',
    ]);
    const route = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: { name: 'x' } };
    assert.deepEqual(problemsOf({ ...route, spec: { rules: [{ timeouts: { requests: '1s' } }] } }), [
      'gateway.networking.k8s.io/v1 HTTPRoute x: unknown field spec.rules.0.timeouts.requests',
    ]);
  });
});
