/** State comes from the robot-link or, after half a second without a reply, from the copy in Redis, which says how old it is. */
import {
  isQuietAt,
  limits,
  listedCommands,
  listedFeatures,
  robotName,
  robotUpdateStatus,
  type DeclaredCommand,
  type ObservedState,
  type Robot,
  type RobotSettings,
  type RobotState,
  type ScreenState,
  type StoredRobotUpdate,
} from '@perch/schema';
import type { RobotRecord, SavedState, Store } from '@perch/store';
import type { Replies } from './replies.js';
import { unknownRobot, type CachedRobot, type RobotDirectory } from './robot-directory.js';

const requestTimeoutMs = 500;
/** A robot-link knows its session a moment later than Redis. */
const settingsTries = 3;

/** `doing` is null if the robot-link did not report it. */
interface CurrentState {
  known: CachedRobot;
  state: SavedState;
  doing: ObservedState | null;
}

export class RobotStates {
  readonly #store: Pick<Store, 'instance' | 'linkMailbox' | 'clock' | 'leases' | 'robots' | 'robotLabels' | 'events'>;
  readonly #directory: RobotDirectory;
  readonly #replies: Replies;

  constructor(
    store: Pick<Store, 'instance' | 'linkMailbox' | 'clock' | 'leases' | 'robots' | 'robotLabels' | 'events'>,
    directory: RobotDirectory,
    replies: Replies,
  ) {
    this.#store = store;
    this.#directory = directory;
    this.#replies = replies;
  }

  /** A robot that is away has `online: false` and its last readings. */
  async read(account: string, robot: string): Promise<Omit<RobotState, 'ok'>> {
    // Name and settings are read each time: the record of a held robot is cached as long as its session lasts, and its owner may change them meanwhile.
    const [{ known, state }, page, { name, settings, update }, labels] = await Promise.all([
      this.#stateOf(robot, false),
      this.#store.events.read(robot, { limit: limits.events.inState, newest: true }),
      this.#store.robots.chosenOf(robot),
      this.#store.robotLabels.of(account, robot),
    ]);
    return {
      ...robotFields({ ...known.record, name }, known.lease.state !== 'away'),
      labels,
      readings: state.readings as RobotState['readings'],
      readings_at: state.readingsAt === null ? null : new Date(state.readingsAt).toISOString(),
      showing: state.showing,
      volume_max: settings.volumeMax,
      quiet_hours: this.#quietHours(settings),
      update: updateOf(known.record.firmware, update, this.#store.clock.now()),
      events: page.events,
      last_seq: page.lastSeq,
    };
  }

  /**
   * Has the robot-link that holds a robot read its settings, so that they are in force when this resolves. If the robot-link does not reply, it reads
   * them when it next takes the robot.
   */
  async settingsChanged(robot: string): Promise<void> {
    for (let tries = 0; tries < settingsTries; tries++) {
      const known = await this.#directory.read(robot);
      if (known?.lease.state !== 'held' || (await this.#requestState(known, { settings: true })) !== null) return;
    }
  }

  #quietHours(settings: RobotSettings): RobotState['quiet_hours'] {
    const { quietHours, timeZone } = settings;
    return quietHours && { ...quietHours, time_zone: timeZone, active: isQuietAt(settings, this.#store.clock.now()) };
  }

  watch(robot: string): Promise<CurrentState> {
    return this.#stateOf(robot, true);
  }

  async #stateOf(robot: string, withObserved: boolean): Promise<CurrentState> {
    let known = await this.#directory.find(robot);
    for (let tries = 0; tries < 2 && known?.lease.state === 'held'; tries++) {
      const queried: CachedRobot = known;
      const current = await this.#requestState(queried, withObserved ? { doing: true } : {});
      if (current !== null) return { known: queried, ...current };
      this.#directory.forget(queried);
      known = await this.#directory.read(robot);
      if (known?.lease.session === queried.lease.session) break;
    }
    if (known === null) throw unknownRobot();
    return { known, state: (await this.#store.leases.saved(robot)) ?? emptyState, doing: null };
  }

  /** @returns null if it does not reply, or no longer holds the robot */
  async #requestState(known: CachedRobot, more: { doing?: true; settings?: true }): Promise<Pick<CurrentState, 'state' | 'doing'> | null> {
    const { instance, session } = known.lease;
    const id = this.#replies.newId();
    const answered = this.#replies.expect(id, 2 * requestTimeoutMs);
    const timer = setTimeout(() => this.#replies.settle(id, { t: 'late' }), requestTimeoutMs);
    const expires = this.#store.clock.now() + requestTimeoutMs;
    this.#store.linkMailbox.send(instance, { t: 'state', id, robot: known.id, session, gateway: this.#store.instance, expires, ...more }).then(
      (receivers) => {
        if (receivers === 0) this.#replies.settle(id, { t: 'not_here', id });
      },
      () => this.#replies.settle(id, { t: 'late' }),
    );
    const reply = await answered;
    clearTimeout(timer);
    if (reply.t !== 'state') return null;
    const { readings, readingsAt, showing, doing = null } = reply;
    return { state: { readings, readingsAt, showing }, doing };
  }
}

function updateOf(firmware: string | null, stored: StoredRobotUpdate | null, now: number): NonNullable<RobotState['update']> | null {
  const status = robotUpdateStatus(firmware, stored, now);
  return status && { current: status.current, offered: status.offered, error: status.error };
}

function robotFields(record: RobotRecord, online: boolean): Omit<Robot, 'labels'> {
  return {
    id: record.id,
    name: robotName(record.id, record.name),
    online,
    model: record.model ?? '',
    firmware: record.firmware ?? '',
    ...(record.model !== null && { features: listedFeatures(record.hello.features) }),
    commands: listedCommands(record.hello.commands as DeclaredCommand[]),
  };
}

const defaultScreen: ScreenState = { card: null, question: null, emotion: 'neutral', view: 'face' };
const emptyState: SavedState = { readings: {}, readingsAt: null, showing: defaultScreen };
