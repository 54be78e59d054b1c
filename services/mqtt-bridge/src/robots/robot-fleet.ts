/** The robots of the key: reads which there are, serves those that no other bridge serves, and reads the state of those that are online. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PerchError, type Perch, type Robot } from '@perch/client';
import { AsyncSignal } from '@perch/runtime';
import { retainedTopics } from '../topics.js';
import { heartbeatMs, RobotClaims } from './robot-claims.js';
import { RobotDevice, type RobotDeviceOptions } from './robot-device.js';

export interface RobotFleetOptions extends Omit<RobotDeviceOptions, 'onConnected' | 'onIncomplete'> {
  /** Reads the list of robots, without waiting for the other calls of the bridge. */
  lister: Perch;
  pollMs: number;
}

/** Reads of states use at most 2 of the 10 actions a second of a key. */
const readMs = 500;
/** An outage of Perch is told within these two. */
const [listMsMax, listTimeoutMs] = [10_000, 4_000];
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;
/** How often robots are looked at that are soon nobody's. */
const claimMs = 1_000;
/** Robots of which everything is sent again at a time, and the pause between: Home Assistant and the broker are to do other things, too. */
const [resendAtOnce, resendPauseMs] = [2, 100];
/** More than a key has. */
const robotsMax = 10_000;
const refusals: ReadonlySet<string> = new Set<PerchError['code']>(['unauthorized', 'scope_missing']);

export class RobotFleet {
  readonly #options: RobotFleetOptions;
  readonly #claims: RobotClaims;
  /** Those of the key when the list was last read; null: it was not read yet. */
  #robots: ReadonlyMap<string, Robot> | null = null;
  readonly #devices = new Map<string, RobotDevice>();
  /** Robots whose state is to be read at once. */
  readonly #due = new Set<string>();
  readonly #stopping = new AbortController();
  readonly #list = new AsyncSignal();
  readonly #read = new AsyncSignal();
  readonly #tasks: Promise<unknown>[] = [];
  #problem: string | null = 'The robots have not been read yet.';
  /** Retained questions of bridges, by robot. */
  readonly #questions = new Map<string, string>();
  /** Retained light and sound, by robot. */
  readonly #shown = new Map<string, { light?: string; sound?: string }>();
  #isConnected = false;
  #isAnnounced = false;
  #isReconciling = false;
  #isWaiting = false;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #beats: ReturnType<typeof setInterval> | undefined;
  /** Robots that the bridge published below an earlier topic. */
  readonly #former = new Set<string>();
  #resending: AbortController | null = null;
  /** The last message or log line of each. */
  #publishedIds = '[]';
  #waitingIds = '[]';
  #servers = '';

  constructor(options: RobotFleetOptions) {
    this.#options = options;
    const { topics, publish } = options;
    this.#claims = new RobotClaims({ topics, publish, onChange: () => this.#reconcileSoon() });
  }

  get size(): number {
    return this.#devices.size;
  }

  /** Returns why the robots cannot be read, or null. */
  get problem(): string | null {
    return this.#problem;
  }

  start(): void {
    this.#tasks.push(this.#followList(), this.#readStates());
  }

  /** Leaves what is published. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#resending?.abort();
    this.disconnected();
    await Promise.all([...this.#tasks, ...[...this.#devices.values()].map((device) => device.stop())]);
  }

  /** A bridge that was paused reads, in one go, that another took its robots and what was sent after that. */
  command(robot: string, name: string, payload: string): void {
    if (this.#claims.isClaimedElsewhere(robot)) return;
    // The claim may have arrived just before the command.
    if (!this.#devices.has(robot) && this.#claims.isOwn(robot)) this.#reconcile();
    this.#devices.get(robot)?.command(name, payload);
  }

  /** Takes what this bridge published of a robot below an earlier topic. Call it before the commands of a connection arrive. */
  restore(robot: string, { questions, ...shown }: { questions?: string; light?: string; sound?: string }): void {
    this.#former.add(robot);
    if (questions !== undefined && !this.#questions.has(robot)) this.#questions.set(robot, questions);
    this.#shown.set(robot, { ...shown, ...this.#shown.get(robot) });
  }

  /** The broker is about to send what it has retained. */
  connecting(): void {
    this.#claims.begin();
  }

  /** The broker is connected, and has sent what it had retained. */
  connected(): void {
    this.#isConnected = true;
    this.#isAnnounced = false;
    this.#publishedIds = this.#waitingIds = '[]';
    this.#reconcile();
    this.resend();
    clearInterval(this.#beats);
    this.#beats = setInterval(() => this.#beat(), heartbeatMs);
  }

  disconnected(): void {
    this.#isConnected = false;
    clearTimeout(this.#soon);
    clearInterval(this.#beats);
  }

  /** Sends what is retained of all robots again, spread over time. */
  resend(): void {
    this.#resending?.abort();
    this.#resending = new AbortController();
    void this.#resendSlowly(this.#resending.signal);
  }

  /** @returns whether the message was about robots or bridges @param retained whether it is from before the subscription */
  receive(topic: string, payload: string, retained: boolean): boolean {
    // Another bridge took this one for dead.
    if (topic === this.#options.topics.bridge && payload !== 'online' && this.#isConnected && this.#isAnnounced) this.#publishOnline();
    if (this.#claims.receive(topic, payload) || this.#receiveShown(topic, payload, retained)) return true;
    const robot = this.#options.topics.robotOfQuestions(topic);
    if (robot === null) return false;
    const device = this.#devices.get(robot);
    if (device !== undefined && retained) device.restoreQuestions(payload);
    if (this.#questions.size < robotsMax || this.#questions.has(robot)) this.#questions.set(robot, payload);
    return true;
  }

  /** Takes light and sound that an earlier run, or another bridge, published. @returns false for other topics */
  #receiveShown(topic: string, payload: string, retained: boolean): boolean {
    const { lights, sounds } = this.#options.topics;
    for (const [kind, filter] of [
      ['light', lights],
      ['sound', sounds],
    ] as const) {
      const robot = this.#options.topics.robotOf(filter, topic);
      if (robot === null) continue;
      const device = this.#devices.get(robot);
      if (device !== undefined && retained) device.restoreShown({ [kind]: payload });
      if (this.#shown.size < robotsMax || this.#shown.has(robot)) this.#shown.set(robot, { ...this.#shown.get(robot), [kind]: payload });
      return true;
    }
    return false;
  }

  async #followList(): Promise<void> {
    const { signal } = this.#stopping;
    const { pollMs, lister, log } = this.#options;
    for (let failures = 0; !signal.aborted;) {
      let pauseMs = Math.min(pollMs, listMsMax);
      try {
        this.#robots = new Map((await lister.robots({ signal, timeoutMs: listTimeoutMs })).map((robot) => [robot.id, robot]));
        failures = 0;
        if (this.#problem !== null) log.info({ robots: this.#robots.size }, 'the robots of the key can be read');
        this.#problem = null;
        this.#reconcile();
      } catch (error) {
        if (signal.aborted) return;
        failures++;
        const code = error instanceof PerchError ? error.code : null;
        // Other programs have used up the rate limit of the key, by which Perch is not away.
        if (code !== 'rate_limited') this.#unreadable(error);
        pauseMs = code !== null && refusals.has(code) ? pollMs * 2 ** (failures - 1) : firstPauseMs * 2 ** (failures - 1);
      }
      // Many robots that connect at once are one reading of the list.
      await sleep(Math.min(readMs, pauseMs), undefined, { signal }).catch(() => undefined);
      await this.#list.wait(Math.min(longestPauseMs, pauseMs) - readMs, signal).catch(() => undefined);
    }
  }

  /** Reads one state after another: first those that are due, then those of the robots that are online, in turn. */
  async #readStates(): Promise<void> {
    const { signal } = this.#stopping;
    const { pollMs } = this.#options;
    let turn: Iterator<RobotDevice> | null = null;
    while (!signal.aborted) {
      const due = this.#due.values().next().value;
      let device: RobotDevice | undefined;
      if (due !== undefined) {
        this.#due.delete(due);
        device = this.#devices.get(due);
      } else if (this.#problem === null) {
        let next = turn?.next();
        if (next === undefined || next.done === true) {
          turn = [...this.#devices.values()].filter((each) => each.isOnline || !each.wasRead)[Symbol.iterator]();
          next = turn.next();
        }
        device = next.value as RobotDevice | undefined;
      }
      await this.#readState(device);
      if (this.#due.size > 0) continue;
      const pauseMs = Math.max(pollMs, this.size * readMs) / Math.max(1, this.size);
      await this.#read.wait(pauseMs, signal).catch(() => undefined);
    }
  }

  /** A failure that is not the robot's is left to the list. */
  async #readState(device: RobotDevice | undefined): Promise<void> {
    if (device === undefined || this.#devices.get(device.id) !== device) return;
    try {
      await device.readState();
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      if (error instanceof PerchError) {
        if (error.code !== 'rate_limited') this.#list.set();
      } else if (this.#devices.has(device.id)) this.#options.log.error({ robot: device.id, err: error }, 'the state of a robot cannot be read');
    }
  }

  #beat(): void {
    const { publish, topics } = this.#options;
    publish(topics.heartbeat, 'alive');
    // The others may have become silent, which is no message.
    if (this.#isWaiting) this.#reconcile();
  }

  #reconcileSoon(): void {
    if (this.#isReconciling) return;
    this.#isReconciling = true;
    setImmediate(() => {
      this.#isReconciling = false;
      this.#reconcile();
    });
  }

  /** Serves the robots of the key that are this bridge's, claims those that are nobody's, and leaves the others. */
  #reconcile(): void {
    if (!this.#isConnected || this.#robots === null || this.#stopping.signal.aborted) return;
    const isReadable = this.#problem === null;
    if (isReadable) this.#removeOthers(this.#robots);
    const servers = new Map<string, number>();
    const waiting: string[] = [];
    let [isPending, isSoon] = [false, false];
    for (const robot of this.#robots.values()) {
      const decision = this.#claims.decide(robot.id);
      if (decision.by === 'this' || decision.by === 'nobody') {
        if (!isReadable) continue;
        if (decision.by === 'this') this.#serve(robot);
        else this.#claims.take(robot.id);
        isPending ||= decision.by === 'nobody';
      } else {
        this.#leave(robot.id);
        if (decision.by === 'soon') isSoon = true;
        if (decision.by === 'other') servers.set(decision.bridge, (servers.get(decision.bridge) ?? 0) + 1);
        waiting.push(robot.id);
      }
    }
    clearTimeout(this.#soon);
    if (isSoon) this.#soon = setTimeout(() => this.#reconcile(), claimMs);
    // Robots are online once their commands are taken.
    if (!isPending) this.#announceBridge();
    this.#isWaiting = waiting.length > 0;
    this.#publishIds(waiting);
    this.#removeSucceeded();
    this.#logServers(servers);
  }

  #serve(robot: Robot): void {
    const known = this.#devices.get(robot.id);
    if (known !== undefined) return known.update(robot);
    const { topics, publish, log } = this.#options;
    const former = this.#claims.prefixOf(robot.id);
    if (former !== null && former !== topics.discoveryPrefix) {
      publish(topics.discoveryOf(robot.id, former), '', { retain: true });
      this.#claims.take(robot.id);
    }
    const device = new RobotDevice(robot, {
      ...this.#options,
      onConnected: () => this.#connected(robot.id),
      onIncomplete: () => this.#readSoon(robot.id),
    });
    this.#devices.set(robot.id, device);
    const questions = this.#questions.get(robot.id);
    if (questions !== undefined) device.restoreQuestions(questions);
    device.restoreShown(this.#shown.get(robot.id) ?? {});
    device.start();
    this.#readSoon(robot.id);
    log.info({ robot: robot.id }, 'robot added');
  }

  #readSoon(robot: string): void {
    this.#due.add(robot);
    this.#read.set();
  }

  /** A robot connected: the list says so, and its state may be another. */
  #connected(robot: string): void {
    this.#readSoon(robot);
    this.#list.set();
  }

  /** Another bridge serves the robot: nothing more is published of it. */
  #leave(robot: string): void {
    const device = this.#devices.get(robot);
    if (device === undefined) return;
    this.#devices.delete(robot);
    this.#claims.release(robot);
    void device.stop();
    this.#options.log.info({ robot }, 'robot left to another bridge');
  }

  /** Removes what this bridge, or an earlier run, published of robots that the key no longer has. */
  #removeOthers(robots: ReadonlyMap<string, Robot>): void {
    const { topics, publish, log } = this.#options;
    const published = new Set([...this.#devices.keys(), ...this.#claims.own(), ...this.#claims.listedBefore(), ...this.#former]);
    for (const id of published) {
      if (robots.has(id) || this.#claims.isClaimedElsewhere(id)) continue;
      void this.#devices.get(id)?.stop();
      this.#devices.delete(id);
      const prefix = this.#claims.prefixOf(id) ?? topics.discoveryPrefix;
      if (this.#claims.isWantedElsewhere(id)) this.#claims.release(id);
      else for (const topic of [topics.discoveryOf(id, prefix), ...retainedTopics(topics.robot(id))]) publish(topic, '', { retain: true });
      this.#claims.forget(id);
      this.#former.delete(id);
      log.info({ robot: id }, 'robot removed');
    }
  }

  #announceBridge(): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    for (const device of this.#devices.values()) device.resendAvailability();
    this.#publishOnline();
  }

  #publishOnline(): void {
    this.#options.publish(this.#options.topics.bridge, 'online', { retain: true });
  }

  /** Removes what dead bridges published of themselves, once this one serves all their robots and has announced them. */
  #removeSucceeded(): void {
    const { topics, publish, log } = this.#options;
    for (const bridge of this.#claims.takeSucceeded()) {
      const former = topics.ofBridge(bridge);
      const list = this.#claims.hasKeyOf(bridge) ? [] : [former.published];
      for (const topic of [former.bridge, former.claim, former.waiting, former.memory, ...list]) publish(topic, '', { retain: true });
      log.info({ bridge }, 'messages of a bridge that serves no robots any longer removed');
    }
  }

  /** Devices stay in Home Assistant, unavailable: a key that was revoked by mistake must not cost its users' automations. */
  #unreadable(error: unknown): void {
    for (const device of this.#devices.values()) device.setUnavailable();
    const { code, message } = error instanceof PerchError ? error : { code: null, message: String(error) };
    const { log } = this.#options;
    if (code !== null && refusals.has(code)) for (const id of this.#devices.keys()) if (this.#claims.isWantedElsewhere(id)) this.#leave(id);
    if (this.#problem === message) return;
    this.#problem = message;
    if (code !== null && refusals.has(code)) log.error({ code }, 'Perch refuses the API key of the bridge');
    else log.warn({ code, ...(code === null ? { err: error } : { problem: message }) }, 'the robots of the key cannot be read');
  }

  async #resendSlowly(signal: AbortSignal): Promise<void> {
    let sent = 0;
    for (const id of [...this.#devices.keys()]) {
      if (signal.aborted) return;
      this.#devices.get(id)?.resend();
      if (++sent % resendAtOnce === 0) await sleep(resendPauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  #publishIds(waiting: string[]): void {
    const { topics, publish } = this.#options;
    const served = JSON.stringify([...this.#devices.keys()]);
    if (served !== this.#publishedIds) publish(topics.published, served, { retain: true });
    const waited = JSON.stringify(waiting);
    if (waited !== this.#waitingIds) publish(topics.waiting, waited, { retain: true });
    [this.#publishedIds, this.#waitingIds] = [served, waited];
  }

  #logServers(servers: ReadonlyMap<string, number>): void {
    const { log } = this.#options;
    const text = JSON.stringify([...servers]);
    if (text === this.#servers) return;
    this.#servers = text;
    for (const [bridge, robots] of servers) {
      if (this.#claims.knowsClaims(bridge))
        log.warn({ bridge, robots }, 'another bridge serves robots of this key: this one waits until that one stops');
      else log.warn({ bridge, robots }, 'a bridge of Perch 0.10 serves robots of this key: this one waits until that one stops. Stop or upgrade it');
    }
  }
}
