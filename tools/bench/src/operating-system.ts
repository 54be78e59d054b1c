/** CPU, memory and connections of processes, from /proc (Linux only). */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';

const tickMs = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Of all threads since the process began, ms; in steps of a clock tick (usually 10 ms). */
export function cpuMs(pid: number): number {
  // Fields 11 and 12 after the name are utime and stime.
  const fields = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** Also of their children. */
export function cpuMsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuMsWithChildren(pid), 0);
}

/** Also of its children, running or ended: a renderer draws in such processes, and replaces them. */
function cpuMsWithChildren(pid: number): number {
  // Fields 13 and 14 are cutime and cstime.
  const fields = statOf(pid);
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]) * tickMs, 0) + childrenOf(pid).reduce((sum, child) => sum + ofChild(child), 0);
}

/** A child that ended meanwhile is in the figures of its parent from then on. */
function ofChild(pid: number): number {
  try {
    return cpuMsWithChildren(pid);
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0;
    throw error;
  }
}

function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number));
}

function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may contain anything.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

export function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) * 1024;
}

export function connectionsTo(pid: number, port: number): number {
  const established = '01';
  const inodes = new Set<string>();
  for (const table of ['tcp', 'tcp6']) {
    for (const line of readFileSync(`/proc/${pid}/net/${table}`, 'utf8').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      const remotePort = Number.parseInt(fields[2]?.split(':')[1] ?? '', 16);
      if (remotePort === port && fields[3] === established) inodes.add(`socket:[${fields[9]}]`);
    }
  }
  let count = 0;
  for (const fd of readdirSync(`/proc/${pid}/fd`)) {
    try {
      if (inodes.has(readlinkSync(`/proc/${pid}/fd/${fd}`))) count++;
    } catch {
      // Closed since the directory was read.
    }
  }
  return count;
}

export interface Machine {
  cpu: string;
  cores: number;
  memory_gb: number;
  os: string;
  node: string;
  /** 1-minute average at the start: other load makes figures worthless. */
  load: number;
}

export function machine(): Machine {
  const processors = cpus();
  return {
    cpu: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    os: `${type()} ${release()} ${arch()}`,
    node: process.versions.node,
    load: Number(readFileSync('/proc/loadavg', 'utf8').split(' ')[0]),
  };
}
