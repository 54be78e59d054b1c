/** One robot of the key: publishes it, carries out its commands one after another, and publishes its events. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PerchError, type Perch, type Robot, type RobotClient, type RobotEvent } from '@perch/client';
import { AsyncSignal, type Logger } from '@perch/runtime';
import { CommandQueue } from '../commands/command-queue.js';
import { commands } from '../commands/commands.js';
import { BadPayload } from '../commands/payload.js';
import { deviceOf } from '../discovery/device.js';
import { triggerOf } from '../discovery/triggers.js';
import type { BridgeMetrics } from '../metrics.js';
import { retainedTopics, type Topics } from '../topics.js';
import { RobotState, type Publish } from './robot-state.js';

export interface RobotDeviceOptions {
  perch: Perch;
  baseUrl: string;
  topics: Topics;
  publish: Publish;
  metrics: BridgeMetrics;
  log: Logger;
  /** Called when a robot connects, so that its state is read at once. */
  onConnected(): void;
}

/** Automations must not run for what happened longer ago, such as before an outage. */
const eventAgeMsMax = 60_000;
const followAgainMs = 5_000;
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
  #following: Promise<void> | null = null;
  /** The last event that was received; null: only new ones. */
  #lastSeq: number | null = null;

  constructor(robot: Robot, options: RobotDeviceOptions) {
    this.id = robot.id;
    this.#robot = robot;
    this.#options = options;
    this.#client = options.perch.robot(robot.id);
    this.#state = new RobotState(options.topics.robot(robot.id), options.publish);
  }

  /** Reads the robot's state, by which its sensors are known, and publishes it. @throws {PerchError} */
  async start(): Promise<void> {
    const state = await this.#client.state({ signal: this.#stopping.signal });
    this.#lastSeq = state.last_seq;
    this.#state.read(state);
    this.#announce();
    this.#state.failed(null, null, 'none');
    this.#state.setOnline(this.#robot.online);
    this.#following = this.#follow();
  }

  update(robot: Robot): void {
    this.#robot = robot;
    this.#listed.set();
    this.#announce();
    this.#state.setOnline(robot.online);
  }

  /** Perch cannot be reached, or refuses the key. */
  setUnavailable(): void {
    this.#state.setOnline(false);
  }

  async readState(): Promise<void> {
    this.#state.read(await this.#client.state({ signal: this.#stopping.signal }));
    this.#announce();
  }

  resend(): void {
    this.#state.resend();
  }

  /** Adds a command to those of the robot. Its failure is logged and published. */
  command(name: string, payload: string): void {
    const run = Object.hasOwn(commands, name) ? commands[name]! : null;
    if (run === null) return this.#refuse(name, 'there is no such command');
    const added = this.#queue.add(async () => {
      try {
        await run(this.#client, payload, this.#state, this.#stopping.signal);
        this.#options.metrics.command('done');
      } catch (error) {
        this.#failed(name, error);
      }
    });
    if (!added) this.#refuse(name, 'too many commands of this robot are pending');
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
    this.#state.announce(deviceOf(this.#robot, this.#state.readings, this.#options));
  }

  #refuse(command: string, why: string): void {
    this.#options.metrics.command('refused');
    this.#options.log.warn({ robot: this.id, command }, `command refused: ${why}`);
    this.#state.failed(command, null, `${command}: ${why}`);
  }

  #failed(command: string, error: unknown): void {
    if (this.#stopping.signal.aborted) return;
    if (error instanceof BadPayload) return this.#refuse(command, `the payload is wrong: ${error.message}`);
    this.#options.metrics.command('failed');
    const { code, message, requestId } = error instanceof PerchError ? error : { code: null, message: String(error), requestId: undefined };
    this.#options.log.warn({ robot: this.id, command, code, request_id: requestId, ...(code === null && { err: error }) }, 'command failed');
    this.#state.failed(command, code, `${command}: ${message}`);
  }

  /** Publishes events until the robot is stopped. A stream that ended is opened again after the last event. */
  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        for await (const event of this.#client.events({ after: this.#lastSeq ?? 'now', signal })) {
          if (event.name === 'gap') continue;
          this.#lastSeq = event.seq;
          this.#publishEvent(event);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof PerchError && refusals.has(error.code)) await this.#listed.wait(refusedMs, signal).catch(() => undefined);
        if (!(error instanceof PerchError)) this.#options.log.error({ robot: this.id, err: error }, 'events of a robot cannot be read');
      }
      await sleep(followAgainMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
    }
  }

  #publishEvent(event: RobotEvent): void {
    const { seq, name, data, at } = event;
    if (name === 'connected') this.#options.onConnected();
    if (name === 'answered') this.#state.answered(data, at);
    const isOld = Date.now() - Date.parse(at) > eventAgeMsMax;
    const payload = JSON.stringify({ ...data, event_type: name, trigger: triggerOf(event), seq, at });
    const published = !isOld && this.#options.publish(this.#state.topics.event, payload);
    this.#options.metrics.event(published ? 'published' : 'dropped');
  }
}
