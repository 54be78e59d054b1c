/** The robots of the key: reads which there are, adds and removes their devices, and reads the state of those that are online. */
import { PerchError, type Robot } from '@perch/client';
import { AsyncSignal } from '@perch/runtime';
import { retainedTopics } from '../topics.js';
import { RobotDevice, type RobotDeviceOptions } from './robot-device.js';

export interface RobotFleetOptions extends Omit<RobotDeviceOptions, 'onConnected'> {
  pollMs: number;
}

/** Reads of states use at most 2 of the 10 actions a second of a key. */
const readMs = 500;
const longestPauseMs = 60_000;

export class RobotFleet {
  readonly #options: RobotFleetOptions;
  readonly #devices = new Map<string, RobotDevice>();
  readonly #stopping = new AbortController();
  readonly #wake = new AsyncSignal();
  #loop: Promise<void> | null = null;
  #problem: string | null = 'The robots have not been read yet.';
  /** Published by an earlier run of the bridge, and not known yet to be still there. */
  readonly #earlier = new Set<string>();
  #wasRead = false;
  #publishedIds = '';

  constructor(options: RobotFleetOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#devices.size;
  }

  /** Returns why the robots cannot be read, or null. */
  get problem(): string | null {
    return this.#problem;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Leaves what is published. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    await Promise.all([...this.#devices.values()].map((device) => device.stop()));
  }

  command(robot: string, name: string, payload: string): void {
    this.#devices.get(robot)?.command(name, payload);
  }

  resend(): void {
    for (const device of this.#devices.values()) device.resend();
    if (!this.#wasRead) return;
    this.#removeEarlier();
    this.#publishIds();
  }

  /** Removes what an earlier run published of robots that the key no longer has. @param payload JSON: their ids */
  publishedBefore(payload: string): void {
    for (const id of idsOf(payload)) this.#earlier.add(id);
    if (this.#wasRead) this.#removeEarlier();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted;) {
      try {
        await this.#read();
        failures = 0;
        if (this.#problem !== null) this.#options.log.info({ robots: this.size }, 'the robots of the key can be read');
        this.#problem = null;
      } catch (error) {
        if (signal.aborted) return;
        failures++;
        this.#unreadable(error);
      }
      const { pollMs } = this.#options;
      const pauseMs = failures === 0 ? Math.max(pollMs, this.size * readMs) : Math.min(longestPauseMs, pollMs * 2 ** (failures - 1));
      await this.#wake.wait(pauseMs, signal).catch(() => undefined);
    }
  }

  /** @throws {PerchError} */
  async #read(): Promise<void> {
    const { perch, log } = this.#options;
    const { signal } = this.#stopping;
    const robots = await perch.robots({ signal });
    for (const [id, device] of this.#devices) {
      if (robots.some((robot) => robot.id === id)) continue;
      this.#devices.delete(id);
      await device.remove();
      log.info({ robot: id }, 'robot removed');
    }
    for (const robot of robots) await this.#readRobot(robot);
    this.#wasRead = true;
    this.#removeEarlier();
    if (this.#idsText() !== this.#publishedIds) this.#publishIds();
  }

  /** A robot that was removed since the list was read is left to the next list. */
  async #readRobot(robot: Robot): Promise<void> {
    const known = this.#devices.get(robot.id);
    try {
      if (known !== undefined) {
        known.update(robot);
        if (robot.online) await known.readState();
        return;
      }
      const device = new RobotDevice(robot, { ...this.#options, onConnected: () => this.#wake.set() });
      await device.start();
      this.#devices.set(robot.id, device);
      this.#options.log.info({ robot: robot.id }, 'robot added');
    } catch (error) {
      if (!(error instanceof PerchError && error.code === 'unknown_robot')) throw error;
    }
  }

  /** Devices stay in Home Assistant, unavailable: a key that was revoked by mistake must not cost its users' automations. */
  #unreadable(error: unknown): void {
    for (const device of this.#devices.values()) device.setUnavailable();
    const { code, message } = error instanceof PerchError ? error : { code: null, message: String(error) };
    if (this.#problem === message) return;
    this.#problem = message;
    const { log } = this.#options;
    if (code === 'unauthorized' || code === 'scope_missing') log.error({ code }, 'Perch refuses the API key of the bridge');
    else log.warn({ code, ...(code === null ? { err: error } : { problem: message }) }, 'the robots of the key cannot be read');
  }

  /** Leaves those that cannot be removed, since the broker is not connected yet, to the next connection. */
  #removeEarlier(): void {
    const { topics, publish, log } = this.#options;
    for (const id of this.#earlier) {
      if (!this.#devices.has(id)) {
        const sent = retainedTopics(topics.robot(id)).map((topic) => publish(topic, '', { retain: true }));
        if (!sent.every(Boolean)) continue;
        log.info({ robot: id }, 'robot of an earlier run removed');
      }
      this.#earlier.delete(id);
    }
  }

  #publishIds(): void {
    const { topics, publish } = this.#options;
    this.#publishedIds = this.#idsText();
    publish(topics.published, this.#publishedIds, { retain: true });
  }

  #idsText(): string {
    return JSON.stringify([...this.#devices.keys()]);
  }
}

/** Only ids of robots: each becomes part of topics. */
function idsOf(payload: string): string[] {
  try {
    const ids: unknown = JSON.parse(payload);
    return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string' && /^[\w-]{1,64}$/.test(id)) : [];
  } catch {
    return [];
  }
}
