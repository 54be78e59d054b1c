import { fileURLToPath } from 'node:url';
import { checkedValues, type Values } from './chart-values.js';
import type { TemplateEngine } from './template-engine.js';

export const chartFolder = fileURLToPath(new URL('../../../deploy/helm/perch', import.meta.url));

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  [field: string]: unknown;
}

/** @param own the user's values @throws {ChartError} if the chart rejects them */
export function renderChart(engine: TemplateEngine, own: Values, release = 'perch', namespace = 'robots'): KubernetesObject[] {
  const values = checkedValues(chartFolder, own);
  return engine.render({ chart: chartFolder, release, namespace, values }) as KubernetesObject[];
}
