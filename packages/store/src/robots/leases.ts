/**
 * Leases: which robot-link holds a robot's socket. A lease is *held* by a session, *moving* (its instance drains or its heartbeat is late)
 * or *away*. Whoever wrote the lease last is the only one whose scripts write for that robot.
 */
import type { Armed, Showing, SoundRef, WaitRecord, WaitState } from '@perch/schema';
import { guarded } from '../redis/guarded.js';
import type { RedisClock } from '../instances/clock.js';
import { beatLateMs, clocksApartMs, type InstanceHealth, type Instances } from '../instances/instances.js';
import { robotKeys } from '../keys.js';
import type { Connections } from '../redis/connections.js';

export interface Lease {
  state: 'held' | 'moving' | 'away';
  /** '' when the robot never connected. */
  instance: string;
  session: string;
  /** Redis time in ms of the last change; 0 when it never connected. */
  since: number;
}

export interface Hello {
  session: string;
  bootId: string;
  dial: number;
  /** Whether the robot says that it started or restarted; default false: it connects again. */
  started?: boolean;
  tokenHash: string;
  model: string;
  firmware: string;
  /** What the gateways need of the hello: features, commands, screen, audio. */
  hello: unknown;
}

/** The sound that plays, kept so that another instance can go on with it. */
export interface Playing {
  id: string;
  stream: number;
  sound: SoundRef;
}

/** All that the new holder of a robot must know. */
export interface Taken {
  account: string;
  /** Who held it before, when that is another session that may still live. */
  previous: { instance: string; session: string } | null;
  /**
   * Whether a `connected` event must be appended: the robot started, a reader can have seen it away since the last one, or an earlier session
   * ended before it appended its own. False only where the robot counted as online for every reader.
   */
  connectedDue: boolean;
  /** The input of this boot that was stored last; it and those before it yield nothing again. */
  inSeq: number;
  /** Up to here the robot may forget its inputs: lower than `inSeq` while a gesture that began before was not finished. */
  safeSeq: number;
  near: boolean | null;
  usb: boolean | null;
  wait: WaitState | null;
  playing: Playing | null;
}

export interface SavedState {
  readings: Record<string, unknown>;
  readingsAt: number | null;
  showing: Showing;
}

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

  /**
   * Takes a robot for a session that just said hello. The newest connection wins; an older one of the same boot is refused.
   * The caller tells `previous` to close (4001): a message to an instance is never sent from a script.
   */
  async take(robot: string, hello: Hello): Promise<Taken | { refused: 'revoked' | 'older_dial' }> {
    const keys = [robotKeys.record(robot), robotKeys.lease(robot), robotKeys.log(robot), robotKeys.waitHead(robot), robotKeys.playing(robot)];
    const reply = (await this.#connections.script('leaseTake', keys, [
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
      beatLateMs,
    ])) as string[];
    if (reply[0] !== 'taken') return { refused: reply[0] as 'revoked' | 'older_dial' };

    const [, , account, state, instance, session, due, inSeq, safeSeq, near, usb, , record, armed, playing] = reply as [string, ...string[]];
    return {
      account: account!,
      previous: state === 'held' ? { instance: instance!, session: session! } : null,
      connectedDue: due === '1' || (state === 'held' && (await this.#wasLeftBehind(robot, hello.session, instance!))),
      inSeq: Number(inSeq),
      safeSeq: Number(safeSeq),
      near: flag(near!),
      usb: flag(usb!),
      wait: this.#openWait(record, armed),
      playing: playing ? this.#connections.forms.read<Playing>('robot_playing', playing) : null,
    };
  }

  /** The robot's open wait; null also where it cannot be read: the gateway that opened it ends it in time. */
  #openWait(record: string | undefined, armed: string | undefined): WaitState | null {
    if (!record) return null;
    const { forms } = this.#connections;
    const read = { record: forms.read<WaitRecord>('wait_record', record), armed: armed ? forms.read<Armed>('wait_armed', armed) : null };
    return read.record === null || (armed && read.armed === null) ? null : { ...read, record: read.record, outcome: null };
  }

  /** Lets go of a robot. @returns false when another session holds it by now, and nothing was written */
  async release(robot: string, session: string, state: 'moving' | 'away', saved?: SavedState): Promise<boolean> {
    const reply = await this.#connections.script(
      'leaseRelease',
      [robotKeys.lease(robot), robotKeys.saved(robot)],
      [session, state, saved ? JSON.stringify(saved) : ''],
    );
    return reply === 1;
  }

  /** Where a robot is now: two round trips, so gateways cache it and let a wrong guess correct them. */
  async find(robot: string): Promise<Lease> {
    return (await this.findAll([robot]))[0]!;
  }

  /**
   * An instance that ends lets go of its robots first, and of its heartbeat last. A lease that was read before the one and a heartbeat
   * that was read after the other would make a robot that moves look away: a lease counts as left behind only where it still stands
   * when the heartbeat is known to be gone.
   */
  async findAll(robots: readonly string[]): Promise<Lease[]> {
    // The time before the reads: what they find is at least as new, so a robot that comes back meanwhile does not look away.
    let now = this.#clock.now();
    let leases = await this.#stored(robots);
    for (;;) {
      const health = await this.#instances.health(leases.filter(({ state }) => state === 'held').map(({ instance }) => instance));
      const leftBehind = ({ state, instance }: Lease): boolean => state === 'held' && health.get(instance) === 'gone';
      if (leases.some(leftBehind)) {
        const before = leases;
        now = this.#clock.now();
        const again = (await this.#stored(robots.filter((_, i) => leftBehind(before[i]!)))).values();
        leases = before.map((lease) => (leftBehind(lease) ? again.next().value! : lease));
        if (leases.some(({ state, session }, i) => state !== before[i]!.state || session !== before[i]!.session)) continue;
      }
      return leases.map((lease) => judged(lease, health.get(lease.instance), now));
    }
  }

  async #stored(robots: readonly string[]): Promise<Lease[]> {
    const stored = await guarded(() =>
      Promise.all(robots.map((robot) => this.#connections.commands.hmget(robotKeys.lease(robot), 'state', 'instance', 'session', 'since'))),
    );
    return stored.map(([state, instance, session, since]) => ({
      state: (state as Lease['state'] | null) ?? 'away',
      instance: instance ?? '',
      session: session ?? '',
      since: Number(since ?? 0),
    }));
  }

  /** Writes readings for `state` to answer while the instance does not. @returns false when the lease is another's */
  async save(robot: string, session: string, saved: SavedState): Promise<boolean> {
    return (await this.#connections.script('leaseSave', [robotKeys.lease(robot), robotKeys.saved(robot)], [session, JSON.stringify(saved), 0])) === 1;
  }

  async saved(robot: string): Promise<SavedState | null> {
    const text = await guarded(() => this.#connections.commands.get(robotKeys.saved(robot)));
    return text === null ? null : this.#connections.forms.read<SavedState>('robot_saved', text);
  }

  /** Keeps (or, with null, forgets) the sound that plays. @returns false when the lease is another's */
  async savePlaying(robot: string, session: string, playing: Playing | null): Promise<boolean> {
    const ttlMs = playing === null ? 0 : Math.ceil((playing.sound.bytes / 2 / playing.sound.rate) * 1000) + 60_000;
    const reply = await this.#connections.script(
      'leaseSave',
      [robotKeys.lease(robot), robotKeys.playing(robot)],
      [session, playing ? JSON.stringify(playing) : '', ttlMs],
    );
    return reply === 1;
  }

  /** Whether the instance that held the robot before can have looked gone, by a clock that is a little ahead of ours. Noted in the lease then. */
  async #wasLeftBehind(robot: string, session: string, instance: string): Promise<boolean> {
    if (instance === this.#instance || !(await this.#instances.mayLookGone(instance))) return false;
    await this.#connections.script('leaseDue', [robotKeys.lease(robot)], [session]);
    return true;
  }
}

/** What a stored lease means now, by the heartbeat of its instance. */
function judged(lease: Lease, beat: InstanceHealth | undefined, now: number): Lease {
  // A little longer than the robot may take: the instance that takes it then knows by Redis' own clock that it never looked away.
  if (lease.state === 'moving') return now - lease.since > beatLateMs + clocksApartMs ? { ...lease, state: 'away' } : lease;
  if (lease.state !== 'held' || beat === 'alive') return lease;
  return { ...lease, state: beat === 'late' ? 'moving' : 'away' };
}

function flag(text: string): boolean | null {
  return text === '' ? null : text === '1';
}
