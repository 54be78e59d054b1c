/** Prometheus on loopback: Debian's package `prometheus`, or any on PATH. It stops with the calling process at the latest. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort, isExecutable } from '@perch/local-redis';
import type { Context } from 'mocha';
import { skipTest } from '../skip-test.js';
import { until } from '../until.js';

export interface ScrapeJob {
  name: string;
  path?: string;
  targets: readonly {
    /** `http://host:port` of a server with metrics. */
    url: string;
    labels?: Record<string, string>;
  }[];
}

export interface PrometheusOptions {
  jobs: readonly ScrapeJob[];
  rules?: readonly string[];
  /** Interval of scrapes, and of rule evaluations without their own interval. Default: 1 s. */
  intervalS?: number;
}

export interface Series {
  metric: Record<string, string>;
  values: [number, string][];
}

export interface ActiveAlert {
  name: string;
  state: 'pending' | 'firing';
  labels: Record<string, string>;
}

export function findPrometheus(env: NodeJS.ProcessEnv = process.env): string | null {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, 'prometheus')).find(isExecutable) ?? null;
}

export function needsPrometheus(context: Context): void {
  if (findPrometheus() === null) skipTest(context, 'Prometheus is needed, and no prometheus is on PATH');
}

export function needsPromtool(context: Context): void {
  if (spawnSync('promtool', ['--version']).status !== 0) skipTest(context, 'promtool is needed, and is not on PATH');
}

/** @throws if it is not installed, or exits, with its last output */
export async function startPrometheus(options: PrometheusOptions): Promise<PrometheusServer> {
  const binary = findPrometheus();
  if (binary === null) throw new Error('no prometheus on PATH; on Debian and Ubuntu: apt-get install prometheus');
  const folder = mkdtempSync(join(tmpdir(), 'perch-prometheus-'));
  const server = new PrometheusServer(binary, folder, await freePort());
  try {
    await server.launch(options);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

export class PrometheusServer {
  readonly url: string;
  readonly #binary: string;
  readonly #folder: string;
  #child: ChildProcess | null = null;
  #output = '';
  #options: PrometheusOptions = { jobs: [] };

  constructor(binary: string, folder: string, port: number) {
    this.#binary = binary;
    this.#folder = folder;
    this.url = `http://127.0.0.1:${port}`;
  }

  async launch(options: PrometheusOptions): Promise<void> {
    this.#options = options;
    const args = [
      `--config.file=${this.#writeConfiguration()}`,
      `--storage.tsdb.path=${join(this.#folder, 'data')}`,
      `--web.listen-address=${new URL(this.url).host}`,
      '--log.level=warn',
    ];
    const child = spawn(this.#binary, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('close', () => process.off('exit', kill));
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.#output = (this.#output + chunk.toString()).slice(-4000)));
    const isReady = async (): Promise<boolean> =>
      fetch(`${this.url}/-/ready`).then(
        (response) => response.ok,
        () => false,
      );
    await until(async () => child.exitCode !== null || (await isReady()), { timeoutMs: 30_000, everyMs: 50, what: 'Prometheus to be ready' });
    if (child.exitCode !== null) throw new Error(`prometheus exited with code ${child.exitCode}: ${this.#output}`);
  }

  /** @throws with the error of Prometheus if the expression is wrong */
  async query(expr: string): Promise<Series[]> {
    const result = await this.#ask('query', { query: expr });
    return (result as { metric: Record<string, string>; value: [number, string] }[]).map(({ metric, value }) => ({ metric, values: [value] }));
  }

  /** @param range times in seconds since 1970 */
  async queryRange(expr: string, range: { start: number; end: number; step: number }): Promise<Series[]> {
    return (await this.#ask('query_range', { query: expr, ...range })) as Series[];
  }

  async alerts(): Promise<ActiveAlert[]> {
    const answer = (await (await fetch(`${this.url}/api/v1/alerts`)).json()) as {
      data: { alerts: { state: ActiveAlert['state']; labels: Record<string, string> }[] };
    };
    return answer.data.alerts.map(({ state, labels }) => ({ name: labels['alertname']!, state, labels }));
  }

  /** Resolves when Prometheus has loaded the targets; alerts keep their state. */
  async retarget(jobs: readonly ScrapeJob[]): Promise<void> {
    this.#options = { ...this.#options, jobs };
    this.#writeConfiguration();
    this.#child?.kill('SIGHUP');
    const wanted = jobs.flatMap(({ targets }) => targets.map(({ url }) => new URL(url).host)).toSorted();
    await until(
      async () => {
        const answer = (await (await fetch(`${this.url}/api/v1/targets?state=active`)).json()) as {
          data: { activeTargets: { discoveredLabels: Record<string, string> }[] };
        };
        const active = answer.data.activeTargets.map(({ discoveredLabels }) => discoveredLabels['__address__']!);
        return active.toSorted().join() === wanted.join();
      },
      { timeoutMs: 20_000, everyMs: 50, what: 'Prometheus to have other targets' },
    );
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #writeConfiguration(): string {
    const { jobs, rules = [], intervalS = 1 } = this.#options;
    const file = join(this.#folder, 'prometheus.yml');
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(configuration(jobs, rules, intervalS)));
    return file;
  }

  async #ask(path: string, parameters: Record<string, string | number>): Promise<unknown[]> {
    const body = new URLSearchParams(Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]));
    const response = await fetch(`${this.url}/api/v1/${path}`, { method: 'POST', body });
    const answer = (await response.json()) as { status: string; error?: string; data?: { resultType: string; result: unknown[] } };
    if (answer.status !== 'success' || answer.data === undefined) throw new Error(`${parameters['query']}: ${answer.error}`);
    const { resultType, result } = answer.data;
    return resultType === 'scalar' ? [{ metric: {}, value: result }] : result;
  }
}

function configuration(jobs: readonly ScrapeJob[], rules: readonly string[], intervalS: number): object {
  return {
    global: { scrape_interval: `${intervalS}s`, scrape_timeout: `${intervalS}s`, evaluation_interval: `${intervalS}s` },
    rule_files: rules,
    scrape_configs: jobs.map(({ name, path = '/metrics', targets }) => ({
      job_name: name,
      metrics_path: path,
      static_configs: targets.map(({ url, labels = {} }) => ({ targets: [new URL(url).host], labels })),
    })),
  };
}
