/** What the host of this virtual machine gave to others while it had something to do, as Linux counts it in /proc/stat. */
import { readFileSync } from 'node:fs';

export interface ProcessorTimes {
  all: number;
  stolen: number;
}

/** @returns null where there is no /proc/stat */
export function processorTimes(): ProcessorTimes | null {
  try {
    return timesIn(readFileSync('/proc/stat', 'utf8'));
  } catch {
    return null;
  }
}

/** @param text of /proc/stat: its first line is user, nice, system, idle, iowait, irq, softirq, steal (guests are in user already), in ticks */
export function timesIn(text: string): ProcessorTimes {
  const [, ...ticks] = text.slice(0, text.indexOf('\n')).split(/ +/).map(Number);
  const counted = ticks.slice(0, 8);
  return { all: counted.reduce((sum, each) => sum + each, 0), stolen: counted[7] ?? 0 };
}

/** Of all time between two readings, 0 to 1. */
export function stolenShare(from: ProcessorTimes | null, to: ProcessorTimes | null): number | null {
  if (from === null || to === null || to.all === from.all) return null;
  return (to.stolen - from.stolen) / (to.all - from.all);
}
