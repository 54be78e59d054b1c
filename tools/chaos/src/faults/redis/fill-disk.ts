/** Redis cannot write to its files: a file size limit (EFBIG instead of a full disk's ENOSPC). It answers MISCONF to writes until it can again. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { defineFault } from '../define-fault.js';
import { aMaster, nameOf, servedTracks } from './redis-node.js';

const run = promisify(execFile);

/** @param bytes a number, or `unlimited` */
async function limitFiles(pid: number, bytes: string): Promise<void> {
  await run('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}

export const fillDisk = defineFault('fill-disk', 'both', async ({ system }, random, undo) => {
  const server = await aMaster(system, random);
  undo.impair(...servedTracks(system));
  // If Redis died meanwhile, the limit died with it.
  undo.add(() => (server.running ? limitFiles(server.pid, 'unlimited') : undefined));
  await limitFiles(server.pid, '1');
  return { what: `${nameOf(server)} can write no further byte`, holdMs: random.between(1500, 5000) };
});
