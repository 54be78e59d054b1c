/** Stops a process with SIGSTOP and resumes it on request, or when this process ends: a stopped process cannot notice that by itself. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Its standard input is a pipe from this process, which closes when this process ends, even by SIGKILL. */
const guard = 'kill -STOP "$1" && echo stopped; read -r _; kill -CONT "$1"';

/** @returns resumes the process; calling it more than once is safe */
export async function freeze(pid: number): Promise<() => Promise<void>> {
  const child = spawn('/bin/sh', ['-c', guard, 'perch-freeze', String(pid)], { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const stopped = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)]);
  if (!stopped) throw new Error(`no process ${pid} to stop`);
  return async () => {
    child.stdin.end();
    await ended;
  };
}
