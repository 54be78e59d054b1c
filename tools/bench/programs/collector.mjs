/** Preloaded with --import: SIGUSR2 collects all garbage, since memory that is free is not what a robot costs. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGUSR2', () => {
  collect();
  collect();
});
