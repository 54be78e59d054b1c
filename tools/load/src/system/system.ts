import { metricIn } from '@perch/bench';

export const heapMetric = 'nodejs_heap_size_used_bytes';

export interface WatchedProcess {
  /** `gateway 1`, `Redis`. */
  name: string;
  /** Null: it has ended or does not answer. */
  sample(): Promise<ProcessSample | null>;
}

export interface ProcessSample {
  /** Resident memory. */
  bytes: number;
  /** Since the start of the process. */
  cpuMs: number;
  /** Heap that V8 uses, live and not yet collected; null: not read this time, or not a Node.js process. */
  heapBytes: number | null;
}

export interface System {
  readonly redisUrl: string;
  readonly bases: readonly string[];
  readonly links: readonly string[];
  readonly webhookHost: string | null;
  readonly processes: readonly WatchedProcess[];
  readonly trouble: readonly string[];
  /** Kills a robot-link as configured. Resolves with a description of what was killed. */
  storm(): Promise<string>;
  /** Returns a counter summed over all instances, or null if none has it. */
  counter(name: string): Promise<number | null>;
  stop(): Promise<void>;
}

/** Returns the sum over /metrics URLs; instances that do not answer count as 0, and null means that none has the metric. */
export async function counterOver(urls: readonly string[], name: string): Promise<number | null> {
  const values = await Promise.all(
    urls.map((url) =>
      fetch(url, { signal: AbortSignal.timeout(5000) })
        .then((answer) => answer.text())
        .then((text) => metricIn(text, name))
        .catch(() => null),
    ),
  );
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
