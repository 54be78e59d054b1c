/**
 * /metrics/robots: metrics of single robots, written in slices between which the event loop continues. Ten thousand robots are megabytes of text, and
 * would be more megabytes of prom-client's objects.
 */
import { robotMetrics, sendJson, type AdminPage, type LabelsOf } from '@perch/runtime';
import type { Readings } from '@perch/schema';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { batteryRatio, freeHeapBytes, sensors, temperatureCelsius, wifiRssiDbm } from './reading-units.js';

/** Prometheus needs one for each of its replicas. */
const scrapesMax = 4;
/** A response whose client does not read is aborted after this; above any reasonable scrape timeout. */
const scrapeMs = 60_000;
const contentType = 'text/plain; version=0.0.4; charset=utf-8';

export interface RobotsPageOptions {
  robots: () => Iterable<RobotReport>;
  enabled: boolean;
  scrapeMs?: number;
}

export function robotsPage({ robots, enabled, scrapeMs: breakOffMs = scrapeMs }: RobotsPageOptions): AdminPage {
  let scrapes = 0;
  return async ({ method }, response) => {
    if (!enabled) return sendJson(response, 404, { ok: false, error: 'The metrics of each robot are off. PERCH_METRICS_ROBOTS=true turns them on.' });
    if (scrapes >= scrapesMax) {
      response.setHeader('retry-after', '1');
      return sendJson(response, 503, { ok: false, error: `Only ${scrapesMax} scrapes of the robots run at the same time. Try again in a moment.` });
    }
    response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    if (method === 'HEAD') return void response.end();
    scrapes += 1;
    try {
      await pipeline(inTurns(robotSamples(newestOfEach(robots()))), response, { signal: AbortSignal.timeout(breakOffMs) });
    } finally {
      scrapes -= 1;
    }
  };
}

async function* inTurns(slices: Iterable<string>): AsyncGenerator<string> {
  for (const slice of slices) {
    yield slice;
    await setImmediate();
  }
}

/** A session that lost its lease stays until its connection is closed, and Prometheus refuses two series of the same name. */
function newestOfEach(robots: Iterable<RobotReport>): RobotReport[] {
  const byId = new Map<string, RobotReport>();
  for (const robot of robots) byId.set(robot.robot, robot);
  return [...byId.values()];
}

type Outcome = LabelsOf<'perch_robot_acks_total'>['outcome'];

export type AckCounts = Record<Outcome, number>;

export interface RobotReport {
  readonly account: string;
  readonly robot: string;
  readonly readings: Readings;
  readonly acks: Readonly<AckCounts>;
  readonly isOver: boolean;
}

export const outcomes = ['ack', 'nack', 'no_ack'] as const satisfies readonly Outcome[];

/** Formatting a slice takes well under a millisecond; the event loop continues between slices. */
export const robotsPerSlice = 250;

/** Values of a metric: one, or several by the value of its additional label. Null values are omitted. */
type Values = number | null | readonly (readonly [labelValue: string, value: number | null])[];

const valuesOf: { readonly [N in keyof typeof robotMetrics]: (robot: RobotReport) => Values } = {
  perch_robot_up: () => 1,
  perch_robot_battery_ratio: ({ readings }) => batteryRatio(readings),
  perch_robot_wifi_rssi_dbm: ({ readings }) => wifiRssiDbm(readings),
  perch_robot_temperature_celsius: ({ readings }) => sensors.map((sensor) => [sensor, temperatureCelsius(readings, sensor)]),
  perch_robot_free_heap_bytes: ({ readings }) => freeHeapBytes(readings),
  perch_robot_acks_total: ({ acks }) => outcomes.map((outcome) => [outcome, acks[outcome]]),
};

/** Yields the text in Prometheus' format, metric by metric, in slices. A robot that disconnects in between is omitted from then on. */
export function* robotSamples(robots: readonly RobotReport[]): Generator<string> {
  for (const [name, { type, help, labels }] of Object.entries(robotMetrics)) {
    const read = valuesOf[name as keyof typeof robotMetrics];
    const ownLabel = Object.keys(labels).find((label) => label !== 'account' && label !== 'robot');
    yield `# HELP ${name} ${escapedHelp(help)}\n# TYPE ${name} ${type}\n`;
    for (let start = 0; start < robots.length; start += robotsPerSlice) {
      let slice = '';
      for (const robot of robots.slice(start, start + robotsPerSlice)) if (!robot.isOver) slice += linesOf(name, ownLabel, robot, read(robot));
      if (slice !== '') yield slice;
    }
  }
}

function linesOf(name: string, ownLabel: string | undefined, { account, robot }: RobotReport, values: Values): string {
  if (values === null) return '';
  const series = `${name}{account="${escaped(account)}",robot="${escaped(robot)}"`;
  if (typeof values === 'number') return `${series}} ${values}\n`;
  let lines = '';
  for (const [labelValue, value] of values) if (value !== null) lines += `${series},${ownLabel}="${escaped(labelValue)}"} ${value}\n`;
  return lines;
}

const special = /[\\\n"]/;

function escaped(value: string): string {
  if (!special.test(value)) return value;
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function escapedHelp(help: string): string {
  return help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
