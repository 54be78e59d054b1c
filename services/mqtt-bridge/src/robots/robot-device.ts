/** One robot of the key: publishes it, carries out its commands one after another, and publishes its events. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PerchError, type Perch, type Robot, type RobotClient, type RobotEvent } from '@perch/client';
import { AsyncSignal, type Logger } from '@perch/runtime';
import { CommandQueue } from '../commands/command-queue.js';
import { commands, NotShown } from '../commands/commands.js';
import { BadPayload } from '../commands/payload.js';
import { questionNamedIn } from '../commands/question.js';
import { deviceOf } from '../discovery/device.js';
import { notAsked, triggerOf } from '../discovery/triggers.js';
import type { BridgeMetrics } from '../metrics.js';
import { retainedTopics, type Topics } from '../topics.js';
import { RobotState, type Publish } from './robot-state.js';

export interface RobotDeviceOptions {
  perch: Perch;
  baseUrl: string;
  topics: Topics;
  publish: Publish;
  /** Publishes Wi-Fi names and IP addresses, too. */
  withNetwork: boolean;
  metrics: BridgeMetrics;
  log: Logger;
  /** Called when a robot connects, so that its state is read at once. */
  onConnected(): void;
  /** Called when the state is to be read again. */
  onIncomplete(): void;
}

/** Automations must not run for what happened longer ago, such as before an outage. */
const eventAgeMsMax = 60_000;
const followAgainMs = 5_000;
const stateMs = 10_000;
/** For how long, and how often, the state of a connected robot is read again that has no readings: robots report every two seconds. */
const [incompleteMaxMs, incompleteMs] = [6_000, 2_000];
/** Events that are searched for answers to the questions of an earlier run. */
const missedEventsMax = 50;
/** Errors that last until the list of robots can be read again. Further tries would count as wrong keys. */
const refusals: ReadonlySet<string> = new Set<PerchError['code']>(['unauthorized', 'scope_missing', 'unknown_robot']);
const refusedMs = 3_600_000;

export class RobotDevice {
  readonly id: string;
  readonly #options: RobotDeviceOptions;
  readonly #client: RobotClient;
  readonly #state: RobotState;
  readonly #queue = new CommandQueue();
  readonly #stopping = new AbortController();
  readonly #listed = new AsyncSignal();
  #robot: Robot;
  /** Those of a robot that is connected. While it is away, and beside a gateway of 0.10, its entities stay what they are. */
  #features: Robot['features'];
  #following: Promise<void> | null = null;
  /** The last event that was received; null: only new ones. */
  #lastSeq: number | null = null;
  /** Events up to this number are those before this run. */
  #newAfter = 0;
  #incompleteSince: number | null = null;

  constructor(robot: Robot, options: RobotDeviceOptions) {
    this.id = robot.id;
    this.#robot = robot;
    this.#features = featuresOf(robot);
    this.#options = options;
    this.#client = options.perch.robot(robot.id);
    this.#state = new RobotState(options.topics.robot(robot.id), options.publish, options);
  }

  /** Commands are taken from now on. The robot is announced once its state was read, by which its sensors are known. */
  start(): void {
    this.#state.setOnline(this.#robot.online);
  }

  update(robot: Robot): void {
    this.#robot = robot;
    this.#features = featuresOf(robot) ?? this.#features;
    this.#listed.set();
    if (this.wasRead) this.#announce();
    this.#state.setOnline(robot.online);
  }

  get isOnline(): boolean {
    return this.#robot.online;
  }

  get wasRead(): boolean {
    return this.#following !== null;
  }

  /** Perch cannot be reached, or refuses the key. */
  setUnavailable(): void {
    this.#state.setOnline(false);
  }

  /** @throws {PerchError} */
  async readState(): Promise<void> {
    const state = await this.#client.state({ signal: this.#stopping.signal, timeoutMs: stateMs });
    if (this.#stopping.signal.aborted) return;
    if (state.online && state.readings_at === null && !this.wasRead) {
      // Without readings the robot would be announced without its sensors: it has not reported yet, or its instance of Perch is slow.
      this.#incompleteSince ??= performance.now();
      if (performance.now() - this.#incompleteSince < incompleteMaxMs) {
        const { signal } = this.#stopping;
        void sleep(incompleteMs, undefined, { signal }).then(
          () => this.#options.onIncomplete(),
          () => undefined,
        );
        return;
      }
    }
    this.#state.read(state);
    this.#announce();
    if (this.wasRead) return;
    this.#state.begin();
    this.#state.failed(null, null, 'none');
    this.#newAfter = state.last_seq;
    // The person may have answered a question of the run before while no bridge was there.
    this.#lastSeq = this.#state.hasQuestions ? Math.max(0, state.last_seq - missedEventsMax) : state.last_seq;
    this.#following = this.#follow();
  }

  resend(): void {
    this.#state.resend();
  }

  resendAvailability(): void {
    this.#state.resendAvailability();
  }

  /** Call it with what an earlier run of the bridge published. */
  restoreShown({ light, sound }: { light?: string; sound?: string }): void {
    if (light !== undefined) this.#state.restoreLight(light);
    if (sound !== undefined) this.#state.restoreSound(sound);
  }

  /** Call it with what an earlier run of the bridge published. */
  restoreQuestions(payload: string): void {
    this.#state.restoreQuestions(payload);
  }

  /** Adds a command to those of the robot. Its failure is logged and published. */
  command(name: string, payload: string): void {
    const run = Object.hasOwn(commands, name) ? commands[name]! : null;
    if (run === null) return this.#refuse(name, payload, 'there is no such command');
    const added = this.#queue.add(async () => {
      try {
        await run(this.#client, payload, this.#state, this.#stopping.signal, this.#options.perch);
        this.#options.metrics.command('done');
      } catch (error) {
        this.#failed(name, payload, error);
      }
    });
    if (!added) this.#refuse(name, payload, 'too many commands of this robot are pending');
  }

  /** Ends its tasks. What is published of it stays. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#state.close();
    await Promise.all([this.#following, this.#queue.drained()]);
  }

  /** Removes it from Home Assistant, and its retained messages from the broker. */
  async remove(): Promise<void> {
    await this.stop();
    for (const topic of retainedTopics(this.#state.topics)) this.#options.publish(topic, '', { retain: true });
  }

  #announce(): void {
    this.#state.announce(deviceOf({ ...this.#robot, features: this.#features }, this.#state.reported, this.#options));
  }

  #refuse(command: string, payload: string, why: string): void {
    this.#options.metrics.command('refused');
    this.#options.log.warn({ robot: this.id, command }, `command refused: ${why}`);
    this.#publishFailure(command, payload, null, why);
  }

  #failed(command: string, payload: string, error: unknown): void {
    if (this.#stopping.signal.aborted) return;
    if (error instanceof BadPayload) return this.#refuse(command, payload, `the payload is wrong: ${error.message}`);
    if (error instanceof NotShown) return this.#refuse(command, payload, error.message);
    this.#options.metrics.command('failed');
    const { code, message, requestId } = error instanceof PerchError ? error : { code: null, message: String(error), requestId: undefined };
    this.#options.log.warn({ robot: this.id, command, code, request_id: requestId, ...(code === null && { err: error }) }, 'command failed');
    this.#publishFailure(command, payload, code, message);
  }

  /** A question that was not asked is an event, too, so that the automation that asked need not wait for its answer. */
  #publishFailure(command: string, payload: string, code: string | null, reason: string): void {
    this.#state.failed(command, code, `${command}: ${reason}`);
    if (command !== 'ask') return;
    const at = new Date().toISOString();
    const event = { event_type: notAsked, trigger: notAsked, ...questionNamedIn(payload), code, reason, at };
    this.#options.publish(this.#state.topics.event, JSON.stringify(event));
  }

  /** Publishes events until the robot is stopped. A stream that ended is opened again after the last event. */
  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        for await (const event of this.#client.events({ after: this.#lastSeq ?? 'now', signal })) {
          if (event.name === 'gap') continue;
          this.#lastSeq = event.seq;
          await this.#publishEvent(event);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof PerchError && refusals.has(error.code)) await this.#listed.wait(refusedMs, signal).catch(() => undefined);
        if (!(error instanceof PerchError)) this.#options.log.error({ robot: this.id, err: error }, 'events of a robot cannot be read');
      }
      await sleep(followAgainMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
    }
  }

  async #publishEvent(event: RobotEvent): Promise<void> {
    const { seq, name, data, at } = event;
    const isEarlier = seq <= this.#newAfter;
    if (name === 'connected' && !isEarlier) this.#options.onConnected();
    if (!isEarlier && (name === 'near' || name === 'away')) this.#state.personMoved(name === 'near');
    const asked = name === 'answered' ? await this.#state.answered(data, at) : null;
    if (isEarlier && asked === null) return;
    const isOld = Date.now() - Date.parse(at) > eventAgeMsMax;
    const payload = JSON.stringify({ ...data, ...asked, event_type: name, trigger: triggerOf(event, asked !== null), seq, at });
    const published = !isOld && this.#options.publish(this.#state.topics.event, payload);
    this.#options.metrics.event(published ? 'published' : 'dropped');
  }
}

function featuresOf({ online, features }: Robot): Robot['features'] {
  return online ? features : undefined;
}
