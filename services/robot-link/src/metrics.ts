/** What a robot-link counts. Labels come from closed lists; never a robot's id. */
import { closeCodes, robotCommandNames } from '@perch/schema';
import type { Store } from '@perch/store';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Roster } from './roster.js';

/** How a command ended, as the label `outcome` has it. */
export type CommandEnd = 'ack' | 'nack' | 'no_ack' | 'late' | 'busy' | 'replaced' | 'media_missing' | 'unsent' | 'unknown' | 'refused';

const commandLabels = new Set<string>(robotCommandNames);
const codeLabels = new Set<string>(Object.keys(closeCodes));

/** What is read at each scrape. */
export interface Gauged {
  roster: Pick<Roster, 'sessionCount' | 'greetingCount' | 'farewellCount' | 'commandCount' | 'waitCount'>;
  subscriber: Pick<Store['connections']['subscriber'], 'size'>;
}

export class LinkMetrics {
  readonly #closed: Counter<'code'>;
  readonly #commands: Counter<'name' | 'outcome'>;
  readonly #ackSeconds: Histogram;
  readonly #refusedUpgrades: Counter<'status'>;
  readonly inputs: Counter<'kind'>;
  readonly events: Counter<'name'>;
  readonly waits: Counter<'kind' | 'outcome'>;
  readonly sounds: Counter<'reason'>;
  readonly readingsDropped: Counter;
  readonly inputsDropped: Counter;
  readonly inputsUnreadable: Counter<'kind'>;
  readonly messagesUnreadable: Counter<'type'>;
  readonly logLines: Counter<'outcome'>;
  readonly storeErrors: Counter<'at'>;
  /** For every reading that is none; made once, since reports come without end. */
  readonly readingDropped = (): void => this.readingsDropped.inc();

  /** @param gauged known once the first scrape comes */
  constructor(registry: Registry, gauged: () => Gauged) {
    const registers = [registry];
    const gauge = (name: string, help: string, read: (now: Gauged) => number): void => {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read(gauged()));
        },
      });
    };
    gauge('perch_link_sessions', 'Robots whose socket this instance holds.', ({ roster }) => roster.sessionCount);
    gauge('perch_link_greetings', 'Connections whose robot has not been taken yet.', ({ roster }) => roster.greetingCount);
    gauge('perch_link_farewells', 'Robots that are gone and of which Redis has not been told yet.', ({ roster }) => roster.farewellCount);
    gauge('perch_link_open_commands', 'Commands in line, or written and not answered for.', ({ roster }) => roster.commandCount);
    gauge('perch_link_open_waits', 'Waits that robots here show or are to show.', ({ roster }) => roster.waitCount);
    gauge('perch_link_subscriptions', 'Channels of Redis listened to.', ({ subscriber }) => subscriber.size);
    this.#closed = new Counter({
      name: 'perch_link_sessions_closed_total',
      help: 'Sessions that ended, by close code.',
      labelNames: ['code'],
      registers,
    });
    this.#commands = new Counter({
      name: 'perch_link_commands_total',
      help: 'Commands for robots, by how they ended.',
      labelNames: ['name', 'outcome'],
      registers,
    });
    this.#ackSeconds = new Histogram({
      name: 'perch_link_ack_seconds',
      help: 'From a command on the socket to the ack of the robot.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    this.#refusedUpgrades = new Counter({
      name: 'perch_link_upgrades_refused_total',
      help: 'Connections refused before the upgrade, by HTTP status.',
      labelNames: ['status'],
      registers,
    });
    this.inputs = new Counter({ name: 'perch_link_inputs_total', help: 'Raw inputs read, by kind.', labelNames: ['kind'], registers });
    this.events = new Counter({ name: 'perch_link_events_total', help: 'Events stored, by name.', labelNames: ['name'], registers });
    this.waits = new Counter({
      name: 'perch_link_waits_total',
      help: 'Waits this instance settled, by outcome.',
      labelNames: ['kind', 'outcome'],
      registers,
    });
    this.sounds = new Counter({ name: 'perch_link_sounds_total', help: 'Sounds that ended, by reason.', labelNames: ['reason'], registers });
    this.readingsDropped = new Counter({
      name: 'perch_link_readings_dropped_total',
      help: 'Readings outside their range or of unknown name.',
      registers,
    });
    this.inputsDropped = new Counter({
      name: 'perch_link_inputs_dropped_total',
      help: 'Finished gestures lost because Redis was away for too long.',
      registers,
    });
    this.inputsUnreadable = new Counter({
      name: 'perch_link_inputs_unreadable_total',
      help: 'Inputs acknowledged without effect because a field did not fit, by the kind they claimed to be.',
      labelNames: ['kind'],
      registers,
    });
    this.messagesUnreadable = new Counter({
      name: 'perch_link_messages_unreadable_total',
      help: 'Messages other than input dropped because a field did not fit, by type.',
      labelNames: ['type'],
      registers,
    });
    this.logLines = new Counter({
      name: 'perch_link_log_lines_total',
      help: 'Log lines sent by robots: kept, or dropped because of the rate limit or a Redis failure.',
      labelNames: ['outcome'],
      registers,
    });
    this.storeErrors = new Counter({
      name: 'perch_link_store_errors_total',
      help: 'Calls of Redis that failed, by what was being done.',
      labelNames: ['at'],
      registers,
    });
  }

  closed(code: number): void {
    const label = String(code);
    this.#closed.inc({ code: codeLabels.has(label) ? label : 'other' });
  }

  command(name: string, outcome: CommandEnd): void {
    this.#commands.inc({ name: commandLabels.has(name) ? name : 'other', outcome });
  }

  acked(seconds: number): void {
    this.#ackSeconds.observe(seconds);
  }

  upgradeRefused(status: number): void {
    this.#refusedUpgrades.inc({ status: String(status) });
  }
}
