/** CPU, memory and connections of processes, from /proc (Linux only). */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';

const tickMs = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Of all threads since the process began, ms; in steps of a clock tick (usually 10 ms). */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may contain anything. Fields 11 and 12 after the last bracket are utime and stime.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

export function cpuMsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
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
