import type { Armed, CardPage, RobotSettings, ScreenState, SoundRef, WaitRecord, WaitState } from '@perch/schema';
import { drawnWithinMs, waitNumberKeys } from '../calls/waits.js';
import { guarded } from '../redis/errors.js';
import type { RedisClock } from '../instances/clock.js';
import { clocksApartMs, movingMaxMs, type InstanceHealth, type Instances } from '../instances/instances.js';
import { robotKeys } from '../redis/keys.js';
import { recordOf, type RobotRecord, settingsOf } from './robot-record.js';
import type { Connections } from '../redis/connections.js';

export interface Lease {
  state: 'held' | 'moving' | 'away';
  instance: string;
  session: string;
  /** Redis ms of the last change; 0 when it never connected. */
  since: number;
}

export interface Hello {
  session: string;
  bootId: string;
  dial: number;
  /** False: the robot reconnected. */
  started?: boolean;
  tokenHash: string;
  model: string;
  firmware: string;
  /** Its parts that gateways need: features, commands, screen, audio. */
  hello: unknown;
}

export interface Playing {
  id: string;
  stream: number;
  sound: SoundRef;
}

export interface TakenLease {
  account: string;
  /** The session that held the robot before, if it may still be alive. */
  previous: { instance: string; session: string } | null;
  /** A `connected` event is due: the robot started, a reader may have seen it away since the last, or a session ended before appending its own. */
  connectedDue: boolean;
  /** Latest stored input of this boot. It and earlier inputs produce no further events. */
  inSeq: number;
  /** Highest input that the robot may forget; lower than `inSeq` while a gesture that began earlier is unfinished. */
  safeSeq: number;
  near: boolean | null;
  usb: boolean | null;
  wait: WaitState | null;
  playing: Playing | null;
  settings: RobotSettings;
  /** Absent: no session of this boot knew anything. */
  light?: SavedLight;
}

export interface SavedState {
  readings: Record<string, unknown>;
  readingsAt: number | null;
  showing: ScreenState;
  /** The pages of the card, if they turn. */
  pages?: readonly CardPage[];
  light?: SavedLight;
}

/** The light of the robot's screen in one boot. Null: unknown. */
export interface SavedLight {
  bootId: string;
  /** By programs. */
  set: ScreenLight;
  /** The light that the robot was sent last: a wait lights the screen. */
  sent: ScreenLight;
  /** The robot's clock when the screen was last lit that could not be read, ms. Absent: not in this boot. */
  litMs?: number;
}

export interface ScreenLight {
  on: boolean | null;
  pct: number | null;
}

/**
 * Leases record which robot-link holds each robot's connection.
 * - A lease is *held* by a session, *moving* (its instance is draining, or its heartbeat is late) or *away*.
 * - Only the session named by the lease writes for the robot: every script checks it and writes nothing for another session.
 * - The newest connection of a robot wins. A revoked token and an older dial of the same boot are refused.
 * - A moving robot counts as online for about 6 s. A held one counts as moving when its instance's heartbeat is 3 s old, as away at 6 s.
 * - A `connected` event is due when the robot started, or when a reader may have seen it away. It stays due until a session appends it.
 * - An idle robot costs Redis nothing: heartbeats are sent by instances, not by robots.
 * - `find` and `findAll` may be outdated when they resolve; callers must expect that the robot has moved.
 * - All methods throw StoreError when Redis does not answer; a write may then have happened.
 */
export class Leases {
  readonly #connections: Connections;
  readonly #clock: RedisClock;
  readonly #instances: Instances;
  readonly #instance: string;

  constructor(connections: Connections, clock: RedisClock, instances: Instances, instance: string) {
    this.#connections = connections;
    this.#clock = clock;
    this.#instances = instances;
    this.#instance = instance;
  }

  /** Takes a robot for a session that just received its hello. The caller must have the instance of `previous` close that session (4001). */
  async take(robot: string, hello: Hello): Promise<TakenLease | { refused: 'revoked' | 'older_dial' }> {
    const keys = [
      robotKeys.record(robot),
      robotKeys.lease(robot),
      robotKeys.log(robot),
      robotKeys.waitHead(robot),
      robotKeys.playing(robot),
      robotKeys.saved(robot),
    ] as const;
    const reply = await this.#connections.script('leaseTake', keys, [
      hello.session,
      this.#instance,
      hello.bootId,
      hello.dial,
      hello.tokenHash,
      hello.model,
      hello.firmware,
      JSON.stringify(hello.hello),
      robotKeys.wait(robot, ''),
      hello.started === true ? 1 : '',
      movingMaxMs,
    ]);
    if (reply[0] !== 'taken') return { refused: reply[0] };

    const [, , account, state, instance, session, due, inSeq, safeSeq, near, usb, , record, armed, playing, saved, ...settings] = reply;
    const light = saved ? this.#connections.forms.read<SavedState>('robot_saved', saved)?.light : undefined;
    return {
      account,
      previous: state === 'held' ? { instance, session } : null,
      connectedDue: due === '1' || (state === 'held' && (await this.#wasLeftBehind(robot, hello.session, instance))),
      inSeq: Number(inSeq),
      safeSeq: Number(safeSeq),
      near: flag(near),
      usb: flag(usb),
      wait: this.#openWait(record, armed),
      playing: playing ? this.#connections.forms.read<Playing>('robot_playing', playing) : null,
      settings: settingsOf(settings),
      ...(light && { light }),
    };
  }

  /** @returns null also when the wait cannot be read: the gateway that opened it then ends it at its time-out. */
  #openWait(record: string, armed: string): WaitState | null {
    if (record === '') return null;
    const { forms } = this.#connections;
    const read = { record: forms.read<WaitRecord>('wait_record', record), armed: armed ? forms.read<Armed>('wait_armed', armed) : null };
    return read.record === null || (armed && read.armed === null) ? null : { ...read, record: read.record, outcome: null };
  }

  /** @returns false, having written nothing, when another session holds the robot */
  async release(robot: string, session: string, state: 'moving' | 'away', saved?: SavedState): Promise<boolean> {
    const reply = await this.#connections.script(
      'leaseRelease',
      [robotKeys.lease(robot), robotKeys.saved(robot)],
      [session, state, saved ? JSON.stringify(saved) : ''],
    );
    return reply === 1;
  }

  /**
   * Takes two round trips, so gateways cache the result and correct a stale one on use. @param likely the instance that probably holds the robot: if it
   * does, and its heartbeat is not late, the read takes one
   */
  async find(robot: string, likely?: string): Promise<Lease> {
    return (await this.findAll([robot], likely === undefined ? [] : [likely]))[0]!;
  }

  /**
   * Takes the number of a wait (`Waits.number`), for whose opening the robot's queue waits (`Waits.dropped`), and in the same step reads the robot's
   * lease, as `find` returns it, and its record.
   * @returns null when the robot does not exist
   */
  async findNumbered(robot: string, likely?: string): Promise<{ number: number; lease: Lease; record: RobotRecord } | null> {
    const taken = this.#connections.script('waitNumber', waitNumberKeys(robot), [1, drawnWithinMs]);
    const stored = taken.then(([, lease = []]) => [leaseOf(lease)]);
    const [[lease], [number, , record]] = await Promise.all([this.#effective([robot], stored, likely === undefined ? [] : [likely]), taken]);
    const hash = hashOf(record ?? []);
    return number === undefined || hash.account === undefined
      ? null
      : { number: Number(number), lease: lease!, record: recordOf(robot, hash, this.#connections.forms) };
  }

  /** Leases as heartbeats make them count. An instance that shuts down deletes its heartbeat last: leases are read again once one is found gone. */
  findAll(robots: readonly string[], likely: readonly string[] = []): Promise<Lease[]> {
    return this.#effective(robots, this.#stored(robots), likely);
  }

  async #effective(robots: readonly string[], stored: Promise<Lease[]>, likely: readonly string[]): Promise<Lease[]> {
    // Before the replies, so that a robot that comes back meanwhile does not look away.
    let now = this.#clock.now();
    let [leases, health] = await Promise.all([stored, likely.length === 0 ? noHealth : this.#instances.health(likely)]);
    for (let reads = 0; ; reads++) {
      const holders = leases.filter(({ state }) => state === 'held').map(({ instance }) => instance);
      if (reads > 0 || holders.some((instance) => health.get(instance) !== 'alive')) health = await this.#instances.health(holders);
      const leftBehind = ({ state, instance }: Lease): boolean => state === 'held' && health.get(instance) === 'gone';
      if (leases.some(leftBehind)) {
        const before = leases;
        now = this.#clock.now();
        const again = (await this.#stored(robots.filter((_, i) => leftBehind(before[i]!)))).values();
        leases = before.map((lease) => (leftBehind(lease) ? again.next().value! : lease));
        if (leases.some(({ state, session }, i) => state !== before[i]!.state || session !== before[i]!.session)) continue;
      }
      return leases.map((lease) => effectiveLease(lease, health.get(lease.instance), now));
    }
  }

  async #stored(robots: readonly string[]): Promise<Lease[]> {
    const stored = await guarded(() =>
      Promise.all(robots.map((robot) => this.#connections.commands.hmget(robotKeys.lease(robot), 'state', 'instance', 'session', 'since'))),
    );
    return stored.map(leaseOf);
  }

  /** Saves readings, which `state` answers while the instance does not reply. @returns false when another session holds the lease */
  async save(robot: string, session: string, saved: SavedState): Promise<boolean> {
    return (await this.#connections.script('leaseSave', [robotKeys.lease(robot), robotKeys.saved(robot)], [session, JSON.stringify(saved), 0])) === 1;
  }

  async saved(robot: string): Promise<SavedState | null> {
    const text = await guarded(() => this.#connections.commands.get(robotKeys.saved(robot)));
    return text === null ? null : this.#connections.forms.read<SavedState>('robot_saved', text);
  }

  /** Saves, or deletes if null. @returns false when another session holds the lease */
  async savePlaying(robot: string, session: string, playing: Playing | null): Promise<boolean> {
    const ttlMs = playing === null ? 0 : Math.ceil((playing.sound.bytes / 2 / playing.sound.rate) * 1000) + 60_000;
    const reply = await this.#connections.script(
      'leaseSave',
      [robotKeys.lease(robot), robotKeys.playing(robot)],
      [session, playing ? JSON.stringify(playing) : '', ttlMs],
    );
    return reply === 1;
  }

  /** Returns whether the former instance may have looked dead, to a clock slightly ahead of ours; if so, records it in the lease. */
  async #wasLeftBehind(robot: string, session: string, instance: string): Promise<boolean> {
    if (instance === this.#instance || !(await this.#instances.mayLookGone(instance))) return false;
    await this.#connections.script('leaseDue', [robotKeys.lease(robot)], [session]);
    return true;
  }
}

const noHealth: ReadonlyMap<string, InstanceHealth> = new Map();

/** @param stored null or '' where Redis has none */
function leaseOf([state, instance, session, since]: readonly (string | null)[]): Lease {
  return {
    state: (state || 'away') as Lease['state'],
    instance: instance ?? '',
    session: session ?? '',
    since: Number(since || 0),
  };
}

/** @param entries fields and values, in turn */
function hashOf(entries: readonly string[]): Record<string, string> {
  const hash: Record<string, string> = {};
  for (let i = 0; i < entries.length; i += 2) hash[entries[i]!] = entries[i + 1]!;
  return hash;
}

function effectiveLease(lease: Lease, beat: InstanceHealth | undefined, now: number): Lease {
  // Slightly longer than the robot may take: the instance that takes it then knows that it never looked away.
  if (lease.state === 'moving') return now - lease.since > movingMaxMs + clocksApartMs ? { ...lease, state: 'away' } : lease;
  if (lease.state !== 'held' || beat === 'alive') return lease;
  return { ...lease, state: beat === 'late' ? 'moving' : 'away' };
}

function flag(text: string): boolean | null {
  return text === '' ? null : text === '1';
}
