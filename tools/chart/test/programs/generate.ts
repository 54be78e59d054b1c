/** Writes the chart's generated files, and its golden files where charts can be rendered: `npx pnpm run -r generate`. */
import { writeChartFiles } from '../../src/chart-files.ts';
import { writeGoldenFiles } from '../../src/golden.ts';
import { findTemplateEngine } from '../../src/template-engine.ts';

writeChartFiles();
const engine = findTemplateEngine(process.env);
if ('missing' in engine) process.stdout.write(`tools/chart/test/golden is not written: ${engine.missing}\n`);
else writeGoldenFiles(engine);
