/** The chart rendered with each file of deploy/helm/values, as tools/chart/test/golden has it. A change of the chart shows there in full. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { chartFolder, renderFile, yamlOf, type KubernetesObject } from './render-chart.js';
import type { TemplateEngine } from './template-engine.js';

const valuesFolder = fileURLToPath(new URL('../../../deploy/helm/values', import.meta.url));
const goldenFolder = fileURLToPath(new URL('../test/golden', import.meta.url));

/** Names of the values files. */
export function goldenNames(): string[] {
  return readdirSync(valuesFolder).toSorted();
}

export function goldenObjects(engine: TemplateEngine, name: string): KubernetesObject[] {
  return renderFile(engine, join(valuesFolder, name));
}

/** Objects in a fixed order; the chart's version is written as VERSION, so that a release does not change the files. */
export function goldenText(engine: TemplateEngine, name: string): string {
  const { version } = parse(readFileSync(join(chartFolder, 'Chart.yaml'), 'utf8')) as { version: string };
  const id = ({ kind, metadata }: KubernetesObject): string => `${kind}/${metadata.name}`;
  const objects = goldenObjects(engine, name).toSorted((a, b) => (id(a) < id(b) ? -1 : 1));
  return `# Generated from deploy/helm/values/${name} (npx pnpm run -r generate).\n${yamlOf(objects)}`.replaceAll(version, 'VERSION');
}

export function goldenFile(name: string): string {
  return readFileSync(join(goldenFolder, name), 'utf8');
}

export function writeGoldenFiles(engine: TemplateEngine): void {
  for (const name of goldenNames()) writeFileSync(join(goldenFolder, name), goldenText(engine, name));
}
