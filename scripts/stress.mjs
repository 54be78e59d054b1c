/** Runs test files on a machine that is busy on purpose, to find tests that depend on how fast it is. */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { isFile, runTests } from './mocha.mjs';

const times = 5;
const spinning = 2;

/** @param args files, and options of mocha @returns what `runTests` returns, for each run of each file */
export async function runStressed(args) {
  const files = args.filter(isFile);
  const options = args.filter((arg) => !isFile(arg));
  const spinners = Array.from({ length: spinning }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  const runs = [];
  try {
    for (const file of files) {
      for (let run = 1; run <= times; run += 1) {
        process.stdout.write(`${file}, run ${run} of ${times}\n`);
        runs.push(await runTests([...options, file], (line) => process.stdout.write(`${line}\n`)));
      }
    }
  } finally {
    for (const spinner of spinners) spinner.kill('SIGKILL');
  }
  return runs;
}
