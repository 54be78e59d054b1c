/** Writes deploy/grafana/*.json (`npx pnpm -r run generate`, which then copies them into the chart) and removes all other files there. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileText, pages } from './pages.js';

const folder = fileURLToPath(new URL('../../../deploy/grafana', import.meta.url));
for (const name of readdirSync(folder)) if (name.endsWith('.json')) rmSync(join(folder, name));
for (const page of pages) writeFileSync(join(folder, `${page.name}.json`), fileText(page));
