/** CPU, memory and connections of processes, from /proc (Linux only). */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';

const tickMs = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/**
 * Returns the processor time of all threads since the process began, ms. The scheduler counts the nanoseconds of each running thread; those of ended threads are only in the
 * figure of the process, which is in ticks (usually 10 ms).
 */
export function cpuMs(pid: number): number {
  // Fields 11 and 12 after the name are utime and stime.
  const fields = statOf(pid);
  const inTicks = (Number(fields[11]) + Number(fields[12])) * tickMs;
  return Math.max(
    inTicks,
    threadsOf(pid).reduce((sum, thread) => sum + scheduledMs(pid, thread), 0),
  );
}

/** Also of their children. */
export function cpuMsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuMsWithChildren(pid), 0);
}

/** Also of its children, running or ended: a renderer draws in such processes, and replaces them. */
function cpuMsWithChildren(pid: number): number {
  // Fields 13 and 14 are cutime and cstime.
  const fields = statOf(pid);
  const ofEnded = (Number(fields[13]) + Number(fields[14])) * tickMs;
  return cpuMs(pid) + ofEnded + childrenOf(pid).reduce((sum, child) => sum + (unlessEnded(() => cpuMsWithChildren(child)) ?? 0), 0);
}

function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap(
    (thread) => unlessEnded(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number)) ?? [],
  );
}

function threadsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`);
}

/** 0 also where the kernel has no such file: the ticks count then. */
function scheduledMs(pid: number, thread: string): number {
  return unlessEnded(() => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6) ?? 0;
}

/** A child or thread that ended meanwhile is in the figures of its parent or process from then on. */
function unlessEnded<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may contain anything.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Times of all processors since the machine began, ms. */
export interface ProcessorTimes {
  /** In programs and the kernel, without interrupts: the scheduler counts these with whatever they interrupt. */
  busy: number;
  /** Taken by other guests of the host. */
  stolen: number;
  /** All there was: busy, idle, interrupted and stolen. */
  all: number;
}

export function processorTimes(): ProcessorTimes {
  const line = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!;
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map((ticks) => Number(ticks) * tickMs);
  const busy = user + nice + system;
  return { busy, stolen, all: busy + idle + waiting + irq + softirq + stolen };
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
