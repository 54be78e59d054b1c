/** Writes the chart's generated files: `npx pnpm run -r generate`. */
import { writeChartFiles } from '../../src/chart-files.ts';

writeChartFiles();
