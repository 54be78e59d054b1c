import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../report/report.js';
import type { WebhookCheck } from './bounds.js';
import type { CapacitySources } from './document.js';
import { costsFile, lookFile } from './measure.js';
import { scenarioNames, type ScenarioName } from './scenarios.js';

/** Runs with the default mix and without a storm: `run-2000.json`. */
const runFile = /^run-\d+\.json$/;

export function readSources(docs: string): CapacitySources {
  const load = join(docs, 'load');
  const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
  const bench = read(join(docs, 'bench/report.json')) as { rows: { name: string; figure: number | null }[] };
  const runs = readdirSync(load)
    .filter((file) => runFile.test(file))
    .map((file) => [file, read(join(load, file)) as Report] as const)
    .toSorted(([, a], [, b]) => a.robots - b.robots);
  return {
    scenarios: Object.fromEntries(scenarioNames.map((name) => [name, read(join(load, costsFile(name))) as Report])) as Record<ScenarioName, Report>,
    runs: new Map(runs),
    look: read(join(load, lookFile)) as WebhookCheck,
    bench: new Map(bench.rows.flatMap(({ name, figure }) => (figure === null ? [] : [[name, figure] as const]))),
  };
}
