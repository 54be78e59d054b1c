/** Preloaded into a service (`--import`): SIGUSR2 writes the functions that ran since the last one, as V8 counts them, to `<pid>.json` in COVERAGE_FOLDER. */
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { env, pid } from 'node:process';

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

process.on('SIGUSR2', () => {
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    const file = join(env.COVERAGE_FOLDER, `${pid}.json`);
    writeFileSync(`${file}.part`, JSON.stringify(result.filter(({ url }) => url.endsWith('.bundle.js'))));
    renameSync(`${file}.part`, file);
  });
});
