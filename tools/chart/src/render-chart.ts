import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { checkedValues, type Values } from './chart-values.js';
import type { TemplateEngine } from './template-engine.js';

export { findTemplateEngine } from './template-engine.js';

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

/** @throws {ChartError} if the chart rejects the values of the file */
export function renderFile(engine: TemplateEngine, file: string, release?: string, namespace?: string): KubernetesObject[] {
  return renderChart(engine, (parse(readFileSync(file, 'utf8')) ?? {}) as Values, release, namespace);
}

/** As `helm template` prints them, each object's fields in alphabetical order. */
export function yamlOf(objects: readonly KubernetesObject[]): string {
  return objects.map((object) => `---\n${stringify(object, { sortMapEntries: true, lineWidth: 0 })}`).join('');
}
