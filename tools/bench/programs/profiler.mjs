/** Preloaded into a service (`--import`): SIGUSR2 starts CPU profiling, the next one writes `<pid>.cpuprofile` in BENCH_PROFILES. */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { env, pid } from 'node:process';

const samplingUs = 500;

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: samplingUs });

let sampling = false;
process.on('SIGUSR2', () => {
  sampling = !sampling;
  if (sampling) session.post('Profiler.start');
  else session.post('Profiler.stop', (_error, { profile }) => writeFileSync(join(env.BENCH_PROFILES, `${pid}.cpuprofile`), JSON.stringify(profile)));
});
