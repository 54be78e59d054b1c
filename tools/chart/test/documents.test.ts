import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Values } from '../src/chart-values.ts';
import { renderChart, type KubernetesObject } from '../src/render-chart.ts';
import { problemsOf } from '../src/strict-models.ts';
import { requireEngine } from './engine.ts';
import { defaults } from './values.ts';

/** YAML blocks of the page about Kubernetes, in its order. */
function blocks(): (Values | KubernetesObject)[] {
  const page = readFileSync(new URL('../../../docs/operate/kubernetes.md', import.meta.url), 'utf8');
  return [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text]) => parse(text!) as Values | KubernetesObject);
}

const isObject = (block: Values | KubernetesObject): block is KubernetesObject => 'kind' in block;

describe('the page about Kubernetes', () => {
  it('shows objects that Kubernetes accepts, but for those of GKE, of which there is no schema here', () => {
    const objects = blocks().filter(isObject);
    assert.ok(objects.length >= 1);
    assert.deepEqual(objects.filter(({ apiVersion }) => !apiVersion.startsWith('networking.gke.io/')).flatMap(problemsOf), []);
  });

  it('shows values with which the chart renders objects that Kubernetes accepts', function () {
    const engine = requireEngine(this);
    const values = blocks().filter((block): block is Values => !isObject(block));
    assert.ok(values.length >= 2 && 'redis' in values[0]!);
    for (const own of values) assert.deepEqual(renderChart(engine, 'redis' in own ? own : { ...defaults, ...own }).flatMap(problemsOf), []);
  });
});
