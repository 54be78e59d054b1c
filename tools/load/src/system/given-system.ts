/** Services that already run. Their memory is known if --metrics has their /metrics URLs. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { metricIn } from '@perch/bench';
import type { Store } from '@perch/store';
import type { LoadArguments } from '../options.js';
import { counterOver, heapMetric, type ProcessSample, type System, type WatchedProcess } from './system.js';

export class GivenSystem implements System {
  readonly redisUrl: string;
  readonly bases: readonly string[];
  readonly links: readonly string[];
  readonly webhookHost: string | null;
  readonly processes: readonly WatchedProcess[];
  readonly trouble: readonly string[] = [];
  readonly #metrics: readonly string[];
  readonly #stormBy: LoadArguments['stormBy'];

  private constructor(redisUrl: string, links: readonly string[], { base, metrics, webhookHost, stormBy }: LoadArguments) {
    this.redisUrl = redisUrl;
    this.bases = base!;
    this.links = links;
    this.webhookHost = webhookHost;
    this.#metrics = metrics;
    this.#stormBy = stormBy;
    this.processes = metrics.map((url) => ({ name: new URL(url).host, sample: () => sampleAt(url) }));
  }

  /** @throws an Error that names the option if a gateway does not answer, or no robot-link is known */
  static async open(args: LoadArguments, redisUrl: string, store: Store): Promise<GivenSystem> {
    for (const base of args.base!) {
      const status = await fetch(`${base}/v1/openapi.json`, { method: 'HEAD', signal: AbortSignal.timeout(10_000) }).then(
        (answer) => String(answer.status),
        (error: unknown) => String((error as { cause?: { message?: string } }).cause?.message ?? error),
      );
      if (status !== '200' && status !== '401') throw new Error(`--base ${base}: does not answer as a gateway (${status})`);
    }
    const links = args.links ?? (await store.instances.offered('link'));
    if (links.length === 0) throw new Error('--link: no robot-link announces its address in Redis; name one');
    return new GivenSystem(redisUrl, links, args);
  }

  async storm(): Promise<string> {
    const by = this.#stormBy!;
    if ('pid' in by) {
      process.kill(by.pid, 'SIGKILL');
      return `process ${by.pid}`;
    }
    await promisify(execFile)('/bin/sh', ['-c', by.command]);
    return by.command;
  }

  counter(name: string): Promise<number | null> {
    return counterOver(this.#metrics, name);
  }

  async stop(): Promise<void> {}
}

async function sampleAt(url: string): Promise<ProcessSample | null> {
  try {
    const text = await (await fetch(url, { signal: AbortSignal.timeout(5000) })).text();
    const bytes = metricIn(text, 'process_resident_memory_bytes');
    const cpuS = metricIn(text, 'process_cpu_seconds_total');
    return bytes === null || cpuS === null ? null : { bytes, cpuMs: cpuS * 1000, heapBytes: metricIn(text, heapMetric) };
  } catch {
    return null;
  }
}
