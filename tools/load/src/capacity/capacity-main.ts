/** `npm run capacity`: writes docs/capacity.md from the committed reports; `-- --measure [NAMES]` creates those first. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { capacityDocument } from './document.js';
import { lookFile, measureWebhookCheck, measureScenarios } from './measure.js';
import { scenarioNames, type ScenarioName } from './scenarios.js';
import { readSources } from './sources.js';

const docs = fileURLToPath(new URL('../../../../docs', import.meta.url));
const helpText = `npm run capacity                        write docs/capacity.md from the reports in docs/load and docs/bench
npm run capacity -- --measure           make the reports of all costs first (4 minutes)
npm run capacity -- --measure NAMES     only some: ${scenarioNames.join(', ')}, look
`;

async function main(args: readonly string[]): Promise<void> {
  if (args[0] === '--help') return void process.stdout.write(helpText);
  if (args.length > 0 && args[0] !== '--measure') throw new Error(`${args[0]}: unknown; --measure and --help are known`);
  const names = args.slice(1);
  const unknown = names.find((name) => name !== 'look' && !scenarioNames.includes(name as ScenarioName));
  if (unknown !== undefined) throw new Error(`--measure ${unknown}: must be one of ${scenarioNames.join(', ')}, look`);
  if (args[0] === '--measure') await measure(names);
  writeFileSync(join(docs, 'capacity.md'), capacityDocument(readSources(docs)));
}

async function measure(names: readonly string[]): Promise<void> {
  const folder = join(docs, 'load');
  mkdirSync(folder, { recursive: true });
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort(new Error(`ended by ${signal}`)));
  const wanted = scenarioNames.filter((name) => names.length === 0 || names.includes(name));
  await measureScenarios({ folder, names: wanted, env: process.env, log, signal: interrupted.signal });
  if (names.length > 0 && !names.includes('look')) return;
  writeFileSync(join(folder, lookFile), `${JSON.stringify(await measureWebhookCheck(process.env))}\n`);
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`capacity: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  },
);
