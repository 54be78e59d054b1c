import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { thresholdNames, type ThresholdName, type Thresholds } from './thresholds.js';

export interface LoadArguments {
  robots: number;
  /** Calls per second, total of all parts. */
  rate: number;
  minutes: number;
  mix: string | null;
  /** Running gateways, or null: the tool starts the services itself. */
  base: readonly string[] | null;
  /** URLs that robots dial; null: those that robot-links announce in Redis. Only with `base`. */
  links: readonly string[] | null;
  /** /metrics URLs of running instances. Only with `base`. */
  metrics: readonly string[];
  /** Address that receives webhooks; null: no webhooks. Only with `base`. */
  webhookHost: string | null;
  start: { gateways: number; links: number; renderers: number; webhooks: number };
  storm: boolean;
  /** How the robot-link is killed; null: it kills one that it started. */
  stormBy: { pid: number } | { command: string } | null;
  /** Index from 0. */
  part: { index: number; count: number };
  workers: number;
  seed: string | null;
  thresholds: Thresholds;
  json: string | null;
  html: string | null;
  merge: readonly string[] | null;
  removeLeftovers: boolean;
  help: boolean;
}

const robotsDefault = 100;
const rateDefault = 10;
const minutesDefault = 1;
const robotsPerWorker = 2500;
const thresholdsInLine = 7;

export const helpText = `npm run load -- [options]

Connects robots and calls them by a fixed schedule (open loop), receives every event over polls, streams and webhooks, and reports
latencies, errors, and what was lost or done twice. Without --base it starts Redis and the services itself.

  --robots N           connected robots; default ${robotsDefault}
  --rate N             calls a second of all programs; default ${rateDefault}
  --minutes N          length of the load, fractions allowed; default ${minutesDefault}
  --mix FILE           what is called and how events are received (docs/load.md)
  --threshold NAME=N   greatest allowed value of a figure; can be given more than once. Figures:
                       ${thresholdNames.slice(0, thresholdsInLine).join(', ')},
                       ${thresholdNames.slice(thresholdsInLine).join(', ')}
  --json FILE          write the report as JSON
  --html FILE          write the report with plots as one HTML file
  --seed S             seed of all random choices; default: a new one, which the run prints
  --workers N          processes that robots and programs run in; default: one for each ${robotsPerWorker} robots, at most one for each core

  --gateways N         instances to start of each service; default 1, with --storm 2 robot-links
  --links N
  --renderers N
  --webhooks N

  --base URL           use running gateways instead (separate several by commas). PERCH_REDIS_URL must lead to their Redis: accounts, keys and
                       robots are made there and removed afterwards
  --link URL           where robots dial (separate several by commas); default: what robot-links announce in Redis
  --metrics URL        /metrics of an instance (separate several by commas), for memory and late heartbeats
  --webhook-host HOST  address of this machine that the webhooks service can reach; without it, no webhooks are used

  --storm              kill a robot-link half-way and measure until all robots are back
  --storm-pid PID      with --base: the process to kill
  --storm-command C    with --base: the command that kills it

  --part I/N           this is machine I of N: it takes its share of robots and rate
  --merge              merge the reports named after it (--merge a.json b.json --json all.json)
  --remove-leftovers   only remove the accounts that killed runs left behind

Exit code: 0 if all thresholds held, 1 if one did not or an instance ended by itself, 2 if the run could not be made, 3 if it is void
(the load itself was late), 130 if a signal ended it.
`;

export function loadArguments(args: readonly string[]): LoadArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      robots: { type: 'string' },
      rate: { type: 'string' },
      minutes: { type: 'string' },
      mix: { type: 'string' },
      base: { type: 'string' },
      link: { type: 'string' },
      metrics: { type: 'string' },
      'webhook-host': { type: 'string' },
      gateways: { type: 'string' },
      links: { type: 'string' },
      renderers: { type: 'string' },
      webhooks: { type: 'string' },
      storm: { type: 'boolean', default: false },
      'storm-pid': { type: 'string' },
      'storm-command': { type: 'string' },
      part: { type: 'string' },
      workers: { type: 'string' },
      seed: { type: 'string' },
      threshold: { type: 'string', multiple: true },
      json: { type: 'string' },
      html: { type: 'string' },
      merge: { type: 'boolean', default: false },
      'remove-leftovers': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  for (const name of ['json', 'html', 'mix', 'seed', 'storm-command', 'webhook-host'] as const) {
    if (values[name] === '') throw new Error(`--${name}: must not be empty`);
  }
  if (!values.merge && positionals.length > 0) throw new Error(`${positionals[0]}: not an option; files are named only after --merge`);
  if (values.merge && positionals.length === 0) throw new Error('--merge: name the reports to merge');
  const base = values.base === undefined ? null : urls('--base', values.base, ['http:', 'https:']);
  refuseWith(values, base === null, ['link', 'metrics', 'webhook-host', 'storm-pid', 'storm-command'], 'needs --base');
  refuseWith(values, base !== null, ['gateways', 'links', 'renderers', 'webhooks'], 'cannot be given with --base');
  const storm = values.storm;
  refuseWith(values, !storm, ['storm-pid', 'storm-command'], 'needs --storm');
  const stormBy = stormMeans(values['storm-pid'], values['storm-command']);
  if (storm && base !== null && stormBy === null) throw new Error('--storm: with --base it needs --storm-pid or --storm-command');
  const links = whole('--links', values.links, 1, 64) ?? (storm ? 2 : 1);
  if (storm && base === null && links < 2) throw new Error('--storm: needs --links 2 or more');
  const robots = whole('--robots', values.robots, 1, 1_000_000) ?? robotsDefault;
  const part = partOf(values.part);
  if (robots < part.count) throw new Error(`--robots ${robots}: must be at least the number of parts, ${part.count}`);
  const workersDefault = Math.min(availableParallelism(), Math.ceil(robots / part.count / robotsPerWorker));
  return {
    robots,
    rate: fraction('--rate', values.rate, 0, 100_000) ?? rateDefault,
    minutes: fraction('--minutes', values.minutes, 0.01, 10_000) ?? minutesDefault,
    mix: values.mix ?? null,
    base,
    links: values.link === undefined ? null : urls('--link', values.link, ['ws:', 'wss:']),
    metrics: values.metrics === undefined ? [] : urls('--metrics', values.metrics, ['http:', 'https:']),
    webhookHost: values['webhook-host'] ?? null,
    start: {
      gateways: whole('--gateways', values.gateways, 1, 64) ?? 1,
      links,
      renderers: whole('--renderers', values.renderers, 1, 64) ?? 1,
      webhooks: whole('--webhooks', values.webhooks, 1, 64) ?? 1,
    },
    storm,
    stormBy,
    part,
    workers: Math.min(robots, whole('--workers', values.workers, 1, 256) ?? workersDefault),
    seed: values.seed ?? null,
    thresholds: thresholdsOf(values.threshold ?? []),
    json: values.json ?? null,
    html: values.html ?? null,
    merge: values.merge ? positionals : null,
    removeLeftovers: values['remove-leftovers'],
    help: values.help,
  };
}

function refuseWith(values: Record<string, unknown>, wrong: boolean, names: readonly string[], why: string): void {
  const given = wrong ? names.find((name) => values[name] !== undefined) : undefined;
  if (given !== undefined) throw new Error(`--${given}: ${why}`);
}

function stormMeans(pid: string | undefined, command: string | undefined): LoadArguments['stormBy'] {
  if (pid !== undefined && command !== undefined) throw new Error('--storm-pid: cannot be given with --storm-command');
  if (command !== undefined) return { command };
  const process = whole('--storm-pid', pid, 2, 4_194_304);
  return process === null ? null : { pid: process };
}

function partOf(text: string | undefined): LoadArguments['part'] {
  if (text === undefined) return { index: 0, count: 1 };
  const [, i, n] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const index = Number(i) - 1;
  const count = Number(n);
  if (!(count >= 1 && count <= 1000 && index >= 0 && index < count)) throw new Error(`--part ${text}: must be I/N with I from 1 to N, such as 1/4`);
  return { index, count };
}

function thresholdsOf(texts: readonly string[]): Thresholds {
  return Object.fromEntries(
    texts.map((text): [ThresholdName, number] => {
      const [given, value] = text.split('=');
      const name = thresholdNames.find((each) => each === given);
      if (name === undefined) throw new Error(`--threshold ${text}: the name must be one of ${thresholdNames.join(', ')}`);
      return [name, fraction(`--threshold ${name}=`, value ?? '', 0, 1e9)!];
    }),
  );
}

function urls(option: string, text: string, protocols: readonly string[]): string[] {
  return text.split(',').map((each) => {
    const url = URL.canParse(each.trim()) ? new URL(each.trim()) : null;
    if (url === null || !protocols.includes(url.protocol))
      throw new Error(`${option} ${each}: must be a URL that begins with ${protocols.join('// or ')}//`);
    return url.href.replace(/\/$/, '');
  });
}

function whole(option: string, text: string | undefined, min: number, max: number): number | null {
  if (text === undefined) return null;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max) throw new Error(`${option} ${text}: must be a whole number from ${min} to ${max}`);
  return number;
}

function fraction(option: string, text: string | undefined, min: number, max: number): number | null {
  if (text === undefined) return null;
  const number = Number(text);
  if (!/^\d*\.?\d+$/.test(text) || number < min || number > max) throw new Error(`${option} ${text}: must be a number from ${min} to ${max}`);
  return number;
}
