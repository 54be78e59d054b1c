/** Limits of open files, checked before anything starts: a process at its limit refuses robots at random. */
import { readFileSync } from 'node:fs';
import { readerKinds } from '../mix.js';
import type { Mix } from '../mix.js';
import type { LoadArguments } from '../options.js';
import { shareOf } from '../schedule.js';

/** Other sockets and files: calls in flight, Redis, files. */
const others = 1000;

/** Returns the maximum open files of a process of this user; Node.js raises its own limit to it. */
export function openFilesMax(): number {
  try {
    const [, hard] = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return hard === undefined || hard === 'unlimited' ? Infinity : Number(hard);
  } catch {
    return Infinity;
  }
}

export function openFilesProblem(
  args: Pick<LoadArguments, 'robots' | 'workers' | 'start' | 'base' | 'storm' | 'part'>,
  mix: Mix,
  max: number,
): string | null {
  const robots = shareOf(args.robots, args.part.index, args.part.count);
  const total = readerKinds.reduce((sum, kind) => sum + mix.readers[kind], 0);
  const held = Math.ceil((robots * (mix.readers.poll + mix.readers.stream)) / total);
  const links = Math.max(1, args.start.links - (args.storm ? 1 : 0));
  const needs = [
    { process: "a worker's process of robots", count: Math.ceil(robots / args.workers), option: '--workers' },
    { process: "a worker's process of programs", count: Math.ceil(held / args.workers), option: '--workers' },
    ...(args.base === null
      ? [
          { process: 'a robot-link', count: Math.ceil(robots / links), option: '--links' },
          { process: 'a gateway', count: Math.ceil(held / args.start.gateways), option: '--gateways' },
        ]
      : []),
  ];
  const wrong = needs.find(({ count }) => count + others > max);
  if (wrong === undefined) return null;
  const { process, count, option } = wrong;
  return `--robots ${args.robots}: ${process} needs ${count + others} open files, ${max} are allowed (ulimit -Hn); raise that (LimitNOFILE of systemd, ulimits of Docker, /etc/security/limits.conf), or give more with ${option}`;
}
