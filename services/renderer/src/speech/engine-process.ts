/**
 * Runs a program that reads text from its standard input and writes sound to its standard output. The text is never an argument, and no shell reads it:
 * the shell only sets limits, then the program takes its place. The program gets nothing of the environment but PATH, since that holds secrets.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';

/** Of address space, kB: a neural voice maps 1 to 2 GB. */
const memoryKb = 4 * 1024 * 1024;
const cpuS = 30;
const niceness = 5;
const stderrMax = 2000;

const limited = `ulimit -v ${memoryKb} 2>/dev/null; ulimit -t ${cpuS} 2>/dev/null; ulimit -c 0; exec "$@"`;

export interface EngineProgram {
  command: readonly string[];
  path: string;
}

export async function* engineOutput({ command, path }: EngineProgram, text: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const child = spawn('/bin/sh', ['-c', limited, 'sh', ...command], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: path, LANG: 'C.UTF-8' },
    // A process group of its own, so that processes that the program starts, such as those of a script, end with it.
    detached: true,
  });
  const ended = once(child, 'close') as Promise<[code: number | null, ended: NodeJS.Signals | null]>;
  // Awaited below, unless the output ends first with an error.
  ended.catch(() => {});
  const kill = (): void => {
    if (child.pid !== undefined) killGroup(child.pid);
    // A process that left the group may keep its outputs open.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  signal.addEventListener('abort', kill, { once: true });
  if (child.pid !== undefined) lowerPriority(child.pid);
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (problem = (problem + part).slice(0, stderrMax)));
  // A program that ends without reading everything is judged by its exit code.
  child.stdin.on('error', () => {});
  child.stdin.end(text);
  let closed = false;
  try {
    for await (const chunk of child.stdout) yield chunk as Buffer;
    const [code, by] = await ended;
    closed = true;
    signal.throwIfAborted();
    if (code !== 0) throw new Error(`the speech engine ended with ${by ?? code}: ${problem.trim()}`);
  } finally {
    signal.removeEventListener('abort', kill);
    if (!closed) kill();
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, Math.min(19, getPriority() + niceness));
  } catch {
    // It has ended already, or the system does not allow it.
  }
}

export async function outputOf(program: EngineProgram, signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of engineOutput(program, '', signal)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
