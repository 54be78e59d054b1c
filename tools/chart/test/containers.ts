import assert from 'node:assert/strict';
import type { KubernetesObject } from '../src/render-chart.ts';

export interface Container {
  image: string;
  env: { name: string; value?: string; valueFrom?: object }[];
  securityContext: object;
  ports: { name: string; containerPort: number }[];
  resources: { requests?: object; limits?: object };
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
  [probe: string]: unknown;
}

export interface Deployment extends KubernetesObject {
  spec: {
    replicas?: number;
    strategy: { type: string; rollingUpdate?: object };
    selector: { matchLabels: Record<string, string> };
    template: {
      metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
      spec: Record<string, unknown> & {
        containers: Container[];
        volumes?: { name: string; secret?: { defaultMode: number; items: { path: string }[] } }[];
        terminationGracePeriodSeconds: number;
      };
    };
  };
}

export function deploymentsOf(objects: KubernetesObject[]): Deployment[] {
  return objects.filter(({ kind }) => kind === 'Deployment') as Deployment[];
}

export function containerOf(objects: KubernetesObject[], name: string): Container {
  const deployment = deploymentsOf(objects).find(({ metadata }) => metadata.name === name);
  assert.ok(deployment !== undefined, `there is no Deployment ${name}`);
  assert.equal(deployment.spec.template.spec.containers.length, 1);
  return deployment.spec.template.spec.containers[0]!;
}
