/** Labels have closed sets of values, never a robot's id. */
import { metricTable, type CounterOf, type HistogramOf, type LabelsOf, type Metrics } from '@perch/runtime';
import type { Store } from '@perch/store';
import { RobotCounts, stateCounts, type CountedRobot } from './robot-counts.js';
import { FrequentNames } from './frequent-names.js';
import { ReadingMetrics } from './reading-metrics.js';

export type CommandEnd = LabelsOf<'perch_link_commands_total'>['outcome'];

type SessionReason = LabelsOf<'perch_link_sessions_opened_total'>['reason'];

const commandLabels = new Set(metricTable.perch_link_commands_total.labels.name);
const closeLabels = new Set(metricTable.perch_link_sessions_closed_total.labels.code);
const statusLabels = new Set(metricTable.perch_link_upgrades_refused_total.labels.status);

export interface Gauged {
  /** Connected ones, without those of probes. */
  robots: readonly CountedRobot[];
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
  readonly readingsDropped: CounterOf<'perch_link_readings_dropped_total'>;
  readonly inputsDropped: CounterOf<'perch_link_inputs_dropped_total'>;
  readonly inputsUnreadable: CounterOf<'perch_link_inputs_unreadable_total'>;
  readonly messagesUnreadable: CounterOf<'perch_link_messages_unreadable_total'>;
  readonly instanceMessagesUnreadable: CounterOf<'perch_link_instance_messages_unreadable_total'>;
  readonly logLines: CounterOf<'perch_link_log_lines_total'>;
  readonly storeErrors: CounterOf<'perch_link_store_errors_total'>;
  /** Created once, because reports arrive continuously. */
  readonly readingDropped = (): void => this.readingsDropped.inc();

  constructor(metrics: Metrics, gauged: () => Gauged) {
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
