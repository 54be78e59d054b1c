/** Writes the files of the chart that are made of others: `npx pnpm run -r generate`. */
import { writeChartFiles } from '../../src/chart-files.ts';

writeChartFiles();
