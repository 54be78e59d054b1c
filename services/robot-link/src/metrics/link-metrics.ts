/** Labels have closed sets of values, never a robot's id. */
import { metricTable, type CounterOf, type HistogramOf, type LabelsOf, type Logger, type Metrics } from '@perch/runtime';
import type { Readings } from '@perch/schema';
import { StoreError, type Store } from '@perch/store';
import { LRUCache } from 'lru-cache';
import { batteryRatio, freeHeapBytes, sensors, temperatureCelsius, wifiRssiDbm } from './reading-units.js';

export type CommandEnd = LabelsOf<'perch_link_commands_total'>['outcome'];

type SessionReason = LabelsOf<'perch_link_sessions_opened_total'>['reason'];

const commandLabels = new Set(metricTable.perch_link_commands_total.labels.name);
const closeLabels = new Set(metricTable.perch_link_sessions_closed_total.labels.code);
const statusLabels = new Set(metricTable.perch_link_upgrades_refused_total.labels.status);

type StoreTask = LabelsOf<'perch_link_store_errors_total'>['at'];

/** Counts a failed store call. An error other than a failure of Redis is a bug and is logged with its stack. */
export function noteFailure({ metrics, log }: { metrics: LinkMetrics; log: Logger }, at: StoreTask, error: unknown): void {
  metrics.storeErrors.inc({ at });
  if (!(error instanceof StoreError)) log.error({ err: error, at }, 'store call failed');
}

export interface GaugeSources {
  /** Connected ones, without those of probes. */
  robots: readonly RobotFigures[];
  registry: {
    readonly handshakeCount: number;
    readonly pendingReleaseCount: number;
  };
  subscriber: Pick<Store['connections']['subscriber'], 'size'>;
}

export class LinkMetrics {
  readonly #opened: CounterOf<'perch_link_sessions_opened_total'>;
  readonly #closed: CounterOf<'perch_link_sessions_closed_total'>;
  readonly #commands: CounterOf<'perch_link_commands_total'>;
  readonly #ackSeconds: HistogramOf<'perch_link_ack_seconds'>;
  readonly #deliverySeconds: HistogramOf<'perch_link_command_delivery_seconds'>;
  readonly #refusedUpgrades: CounterOf<'perch_link_upgrades_refused_total'>;
  readonly sessionsOrphaned: CounterOf<'perch_link_sessions_orphaned_total'>;
  readonly readings: ReadingMetrics;
  readonly sessionsMoved: CounterOf<'perch_link_sessions_moved_total'>;
  readonly inputs: CounterOf<'perch_link_inputs_total'>;
  readonly events: CounterOf<'perch_link_events_total'>;
  readonly waits: CounterOf<'perch_link_waits_total'>;
  readonly sounds: CounterOf<'perch_link_sounds_total'>;
  readonly robotUpdates: CounterOf<'perch_link_robot_updates_total'>;
  readonly readingsDropped: CounterOf<'perch_link_readings_dropped_total'>;
  readonly inputsDropped: CounterOf<'perch_link_inputs_dropped_total'>;
  readonly inputsUnreadable: CounterOf<'perch_link_inputs_unreadable_total'>;
  readonly messagesUnreadable: CounterOf<'perch_link_messages_unreadable_total'>;
  readonly instanceMessagesUnreadable: CounterOf<'perch_link_instance_messages_unreadable_total'>;
  readonly logLines: CounterOf<'perch_link_log_lines_total'>;
  readonly storeErrors: CounterOf<'perch_link_store_errors_total'>;
  /** Created once, because reports arrive continuously. */
  readonly readingDropped = (): void => this.readingsDropped.inc();

  constructor(metrics: Metrics, gauged: () => GaugeSources) {
    const robotCounts = new RobotCounts(() => gauged().robots);
    metrics.gauge('perch_link_sessions', () => robotCounts.counts.robots);
    metrics.gauge('perch_link_greetings', () => gauged().registry.handshakeCount);
    metrics.gauge('perch_link_farewells', () => gauged().registry.pendingReleaseCount);
    metrics.gauge('perch_link_open_commands', () => robotCounts.counts.openCommands);
    metrics.gauge('perch_link_open_waits', () => robotCounts.counts.openWaits);
    metrics.gauge('perch_link_robots_by_state', () => stateCounts(robotCounts.counts));
    const [models, firmwares] = [new FrequentNames(), new FrequentNames()];
    metrics.gauge('perch_link_robots_by_model', () =>
      models.select(robotCounts.counts.models, performance.now()).map(([model, count]) => [{ model }, count]),
    );
    metrics.gauge('perch_link_robots_by_firmware', () =>
      firmwares.select(robotCounts.counts.firmwares, performance.now()).map(([firmware, count]) => [{ firmware }, count]),
    );
    metrics.gauge('perch_link_subscriptions', () => gauged().subscriber.size);
    this.#opened = metrics.counter('perch_link_sessions_opened_total');
    this.#closed = metrics.counter('perch_link_sessions_closed_total');
    this.#commands = metrics.counter('perch_link_commands_total');
    this.#ackSeconds = metrics.histogram('perch_link_ack_seconds');
    this.#deliverySeconds = metrics.histogram('perch_link_command_delivery_seconds');
    this.#refusedUpgrades = metrics.counter('perch_link_upgrades_refused_total');
    this.sessionsOrphaned = metrics.counter('perch_link_sessions_orphaned_total');
    this.readings = new ReadingMetrics(metrics);
    this.sessionsMoved = metrics.counter('perch_link_sessions_moved_total');
    this.inputs = metrics.counter('perch_link_inputs_total');
    this.events = metrics.counter('perch_link_events_total');
    this.waits = metrics.counter('perch_link_waits_total');
    this.sounds = metrics.counter('perch_link_sounds_total');
    this.robotUpdates = metrics.counter('perch_link_robot_updates_total');
    this.readingsDropped = metrics.counter('perch_link_readings_dropped_total');
    this.inputsDropped = metrics.counter('perch_link_inputs_dropped_total');
    this.inputsUnreadable = metrics.counter('perch_link_inputs_unreadable_total');
    this.messagesUnreadable = metrics.counter('perch_link_messages_unreadable_total');
    this.instanceMessagesUnreadable = metrics.counter('perch_link_instance_messages_unreadable_total');
    this.logLines = metrics.counter('perch_link_log_lines_total');
    this.storeErrors = metrics.counter('perch_link_store_errors_total');
  }

  opened(reason: SessionReason): void {
    this.#opened.inc({ reason });
  }

  closed(code: number): void {
    this.#closed.inc({ code: labelOf(closeLabels, String(code)) });
  }

  command(name: string, outcome: CommandEnd): void {
    this.#commands.inc({ name: labelOf(commandLabels, name), outcome });
  }

  acked(seconds: number): void {
    this.#ackSeconds.observe(seconds);
  }

  /** @param ms since the call arrived at its gateway; may be negative, since the clocks of instances differ by a few ms */
  delivered(name: string, ms: number): void {
    this.#deliverySeconds.observe({ name: labelOf(commandLabels, name) }, Math.max(0, ms) / 1000);
  }

  upgradeRefused(status: number): void {
    this.#refusedUpgrades.inc({ status: labelOf(statusLabels, String(status)) });
  }
}

function labelOf<V extends string>(known: ReadonlySet<V>, value: string): V | 'other' {
  return (known as ReadonlySet<string>).has(value) ? (value as V) : 'other';
}

/** The first that applies. */
export type Activity = LabelsOf<'perch_link_robots_by_state'>['state'];

export interface RobotFigures {
  readonly activity: Activity;
  readonly model: string;
  readonly firmware: string;
  readonly hasOpenWait: boolean;
  readonly commands: { readonly size: number };
}

interface Counts {
  robots: number;
  states: Readonly<Record<Activity, number>>;
  models: ReadonlyMap<string, number>;
  firmwares: ReadonlyMap<string, number>;
  openCommands: number;
  openWaits: number;
}

class RobotCounts {
  readonly #robots: () => Iterable<RobotFigures>;
  #counts: Counts | null = null;

  constructor(robots: () => Iterable<RobotFigures>) {
    this.#robots = robots;
  }

  /** All gauges of a scrape are read in the same event-loop iteration and share one result. */
  get counts(): Counts {
    if (this.#counts === null) {
      this.#counts = countsOf(this.#robots());
      setImmediate(() => (this.#counts = null));
    }
    return this.#counts;
  }
}

function stateCounts({ states }: Counts): (readonly [{ state: Activity }, number])[] {
  return Object.entries(states).map(([state, count]) => [{ state: state as Activity }, count]);
}

function countsOf(robots: Iterable<RobotFigures>): Counts {
  const states: Record<Activity, number> = { asking: 0, playing: 0, moving: 0, showing: 0, idle: 0 };
  const models = new Map<string, number>();
  const firmwares = new Map<string, number>();
  let openCommands = 0;
  let openWaits = 0;
  let count = 0;
  for (const { activity, model, firmware, hasOpenWait, commands } of robots) {
    count += 1;
    states[activity] += 1;
    models.set(model, (models.get(model) ?? 0) + 1);
    firmwares.set(firmware, (firmwares.get(firmware) ?? 0) + 1);
    openCommands += commands.size;
    if (hasOpenWait) openWaits += 1;
  }
  return { robots: count, states, models, firmwares, openCommands, openWaits };
}

/** A report contains only changed values, but observes all known ones: otherwise robots whose values change often would count more. */
interface Observed {
  valueOf: (readings: Readings) => number | null;
  histogram: HistogramOf<'perch_link_battery_ratio'>;
}

class ReadingMetrics {
  readonly #observed: readonly Observed[];

  constructor(metrics: Metrics) {
    const temperatures = metrics.histogram('perch_link_temperature_celsius');
    this.#observed = [
      { valueOf: batteryRatio, histogram: metrics.histogram('perch_link_battery_ratio') },
      { valueOf: wifiRssiDbm, histogram: metrics.histogram('perch_link_wifi_rssi_dbm') },
      { valueOf: freeHeapBytes, histogram: metrics.histogram('perch_link_free_heap_bytes') },
      ...sensors.map((sensor) => ({
        valueOf: (readings: Readings) => temperatureCelsius(readings, sensor),
        histogram: temperatures.labels({ sensor }),
      })),
    ];
  }

  observe(readings: Readings): void {
    for (const { valueOf, histogram } of this.#observed) {
      const value = valueOf(readings);
      if (value !== null) histogram.observe(value);
    }
  }
}

/** Label values for names that robots choose: the most frequent, others as `other`. New names are rate limited: each is a time series for long. */
const otherName = 'other';

interface Bounds {
  namesMax: number;
  /** Burst of new names, and the time until one more is allowed, ms. */
  newNames: number;
  newNameMs: number;
  knownMax: number;
}

const standard: Bounds = { namesMax: 20, newNames: 100, newNameMs: 600_000, knownMax: 200 };

export class FrequentNames {
  readonly #bounds: Bounds;
  readonly #known: LRUCache<string, true>;
  #newNames: number;
  #refilledAt: number | null = null;

  constructor(bounds: Partial<Bounds> = {}) {
    this.#bounds = { ...standard, ...bounds };
    this.#newNames = this.#bounds.newNames;
    this.#known = new LRUCache({ max: this.#bounds.knownMax });
  }

  /** @param counts occurrences by name @param now performance.now() @returns counts by label value; their sum is that of `counts` */
  select(counts: ReadonlyMap<string, number>, now: number): [labelValue: string, count: number][] {
    this.#refill(now);
    const selected: [string, number][] = [];
    let others = 0;
    for (const count of counts.values()) others += count;
    for (const [name, count] of mostFrequent(counts, this.#bounds.namesMax)) {
      if (name === otherName || !this.#admit(name)) continue;
      selected.push([name, count]);
      others -= count;
    }
    if (others > 0) selected.push([otherName, others]);
    return selected;
  }

  #admit(name: string): boolean {
    if (this.#known.get(name) === true) return true;
    if (this.#newNames < 1) return false;
    this.#newNames -= 1;
    this.#known.set(name, true);
    return true;
  }

  #refill(now: number): void {
    const { newNames, newNameMs } = this.#bounds;
    this.#newNames = Math.min(newNames, this.#newNames + (now - (this.#refilledAt ?? now)) / newNameMs);
    this.#refilledAt = now;
  }
}

/** Ties in order of insertion. Sorting ten thousand names would take milliseconds. */
function mostFrequent(counts: ReadonlyMap<string, number>, max: number): [name: string, count: number][] {
  const most: [string, number][] = [];
  for (const entry of counts) {
    if (most.length === max && entry[1] <= most.at(-1)![1]) continue;
    const at = most.findIndex(([, count]) => count < entry[1]);
    most.splice(at === -1 ? most.length : at, 0, entry);
    if (most.length > max) most.pop();
  }
  return most;
}
