import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { metricsPage, metricsPageFile } from './metrics-page.js';

mkdirSync(dirname(metricsPageFile), { recursive: true });
writeFileSync(metricsPageFile, metricsPage());
