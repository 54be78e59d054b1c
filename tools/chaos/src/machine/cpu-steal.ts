/** CPU steal: time that the host of this virtual machine gave to other machines while processors here had work, from /proc/stat. */
import { readFileSync } from 'node:fs';
import { readingsAround } from './readings.js';

export interface ProcessorTimes {
  busy: number;
  stolen: number;
}

const everyMs = 100;
/** More than any round lasts. */
const keptMax = 6000;

export class CpuSteal {
  readonly #readings: (ProcessorTimes & { at: number })[] = [];
  readonly #first: ProcessorTimes;
  readonly #timer: NodeJS.Timeout;

  constructor(read: () => ProcessorTimes = readTimes) {
    this.#first = read();
    const note = (): void => {
      this.#readings.push({ ...read(), at: performance.now() });
      if (this.#readings.length > keptMax) this.#readings.shift();
    };
    note();
    this.#timer = setInterval(note, everyMs);
    this.#timer.unref();
  }

  during(from: number, to: number): number {
    const around = readingsAround(this.#readings, from, to);
    return around === null ? 0 : (to - from) * shareOf(around.before, around.after);
  }

  /** 0 to 1, of the time with work since the start. */
  share(): number {
    return shareOf(this.#first, this.#readings.at(-1) ?? this.#first);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** @param text of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal (guests are included in user), in ticks */
export function timesIn(text: string): ProcessorTimes {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = text.slice(0, text.indexOf('\n')).split(/ +/).map(Number);
  return { busy: user + nice + system + irq + softirq, stolen };
}

function readTimes(): ProcessorTimes {
  return timesIn(readFileSync('/proc/stat', 'utf8'));
}

function shareOf(from: ProcessorTimes, to: ProcessorTimes): number {
  const stolen = to.stolen - from.stolen;
  const wanted = to.busy - from.busy + stolen;
  return wanted === 0 ? 0 : stolen / wanted;
}
