/** Other processes take all of the machine's processors for a while. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { defineFault } from '../define-fault.js';

const spinMs = [1000, 3000] as const;
const spinner = 'const until = performance.now() + Number(process.argv[1]); while (performance.now() < until);';

export const starveCpu = defineFault('starve-cpu', 'both', ({ system, neighbours }, random, undo) => {
  const holdMs = random.between(...spinMs);
  const count = availableParallelism() * 2;
  undo.impair(...[system, ...neighbours()].flatMap(({ instances }) => instances.map(({ running }) => running)));
  for (let started = 0; started < count; started += 1) {
    const child = spawn(process.execPath, ['-e', spinner, String(holdMs + 2000)], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
    undo.add(() => {
      child.kill('SIGKILL');
      return ended;
    });
  }
  return Promise.resolve({ what: `${count} processes that only spin`, holdMs });
});
