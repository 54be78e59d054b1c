/**
 * Validates objects by the schemas of `kubernetes-models`, and rejects unknown fields.
 *
 * The package's validators accept unknown fields, as the API server does. They are compiled code that reads each field it knows by name, and each
 * member of a free-form map: a field that a validator never read is unknown.
 */
import * as gatewayApi from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import * as prometheusOperator from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import * as apps from 'kubernetes-models/apps/v1';
import * as autoscaling from 'kubernetes-models/autoscaling/v2';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import type { KubernetesObject } from './render-chart.js';

type Model = { prototype: { validate(this: unknown): void } };

const models: Readonly<Record<string, Model>> = {
  'apps/v1 Deployment': apps.Deployment,
  'autoscaling/v2 HorizontalPodAutoscaler': autoscaling.HorizontalPodAutoscaler,
  'gateway.networking.k8s.io/v1 Gateway': gatewayApi.Gateway,
  'gateway.networking.k8s.io/v1 HTTPRoute': gatewayApi.HTTPRoute,
  'monitoring.coreos.com/v1 PrometheusRule': prometheusOperator.PrometheusRule,
  'monitoring.coreos.com/v1 ServiceMonitor': prometheusOperator.ServiceMonitor,
  'networking.k8s.io/v1 Ingress': networking.Ingress,
  'networking.k8s.io/v1 NetworkPolicy': networking.NetworkPolicy,
  'policy/v1 PodDisruptionBudget': policy.PodDisruptionBudget,
  'v1 ConfigMap': core.ConfigMap,
  'v1 Pod': core.Pod,
  'v1 Service': core.Service,
  'v1 ServiceAccount': core.ServiceAccount,
};

/** A sentence each; empty if Kubernetes accepts the object without ignoring a field. */
export function problemsOf(object: KubernetesObject): string[] {
  const what = `${object.apiVersion} ${object.kind}`;
  const model = models[what];
  if (model === undefined) return [`${what}: there is no model of it in strict-models.ts`];
  const read = new Map<object, Set<string>>();
  try {
    model.prototype.validate.call(recording(object, read));
  } catch (error) {
    return [`${what} ${object.metadata.name}: ${(error as Error).message}`];
  }
  return unread(object, read).map((path) => `${what} ${object.metadata.name}: unknown field ${path}`);
}

/** Records which fields of each object are read. */
function recording<T>(value: T, read: Map<object, Set<string>>): T {
  if (typeof value !== 'object' || value === null) return value;
  const names = read.get(value) ?? new Set<string>();
  read.set(value, names);
  return new Proxy(value, {
    get(target, name, receiver) {
      if (typeof name === 'string') names.add(name);
      return recording(Reflect.get(target, name, receiver) as unknown, read);
    },
  });
}

function unread(value: unknown, read: ReadonlyMap<object, ReadonlySet<string>>, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const names = read.get(value);
  return Object.entries(value).flatMap(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return names?.has(name) === true ? unread(member, read, at) : [at];
  });
}
