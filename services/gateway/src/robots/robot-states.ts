/**
 * What a robot is doing now: asked of the robot-link that holds it, and after half a second read from Redis' copy, which says how old it is.
 */
import { limits, listedCommands, robotName, type DeclaredCommand, type Doing, type Robot, type RobotState, type Showing } from '@perch/schema';
import type { RobotRecord, SavedState, Store } from '@perch/store';
import type { Replies } from './replies.js';
import { unknownRobot, type KnownRobot, type RobotDirectory } from './robot-directory.js';

const askMs = 500;

/** What is known of a robot: `doing` is null where nobody told it. */
interface Told {
  known: KnownRobot;
  state: SavedState;
  doing: Doing | null;
}

export class RobotStates {
  readonly #store: Pick<Store, 'instance' | 'links' | 'clock' | 'leases' | 'robots' | 'robotLabels' | 'events'>;
  readonly #directory: RobotDirectory;
  readonly #replies: Replies;

  constructor(
    store: Pick<Store, 'instance' | 'links' | 'clock' | 'leases' | 'robots' | 'robotLabels' | 'events'>,
    directory: RobotDirectory,
    replies: Replies,
  ) {
    this.#store = store;
    this.#directory = directory;
    this.#replies = replies;
  }

  /** Of a robot that is away too: its last readings, and `online: false`. */
  async read(account: string, robot: string): Promise<Omit<RobotState, 'ok'>> {
    // The name is read each time: the record of a held robot is cached for as long as its session lasts, and its owner may rename it meanwhile.
    const [{ known, state }, page, name, labels] = await Promise.all([
      this.#stateOf(robot, false),
      this.#store.events.read(robot, { limit: limits.events.inState, newest: true }),
      this.#store.robots.nameOf(robot),
      this.#store.robotLabels.of(account, robot),
    ]);
    return {
      ...robotFields({ ...known.record, name }, known.lease.state !== 'away'),
      labels,
      readings: state.readings as RobotState['readings'],
      readings_at: state.readingsAt === null ? null : new Date(state.readingsAt).toISOString(),
      showing: state.showing,
      events: page.events,
      last_seq: page.lastSeq,
    };
  }

  /** For who watches it: what it does beside what it shows, too. @throws {ApiError} unknown_robot */
  watch(robot: string): Promise<Told> {
    return this.#stateOf(robot, true);
  }

  async #stateOf(robot: string, withDoing: boolean): Promise<Told> {
    let known = await this.#directory.find(robot);
    for (let tries = 0; tries < 2 && known?.lease.state === 'held'; tries++) {
      const asked: KnownRobot = known;
      const told = await this.#ask(asked, withDoing);
      if (told !== null) return { known: asked, ...told };
      this.#directory.forget(asked);
      known = await this.#directory.read(robot);
      if (known?.lease.session === asked.lease.session) break;
    }
    if (known === null) throw unknownRobot();
    return { known, state: (await this.#store.leases.saved(robot)) ?? nothingKnown, doing: null };
  }

  /** @returns null when the instance does not answer, or does not hold the robot any more */
  async #ask(known: KnownRobot, withDoing: boolean): Promise<Pick<Told, 'state' | 'doing'> | null> {
    const { instance, session } = known.lease;
    const id = this.#replies.newId();
    const answered = this.#replies.expect(id, 2 * askMs);
    const timer = setTimeout(() => this.#replies.settle(id, { t: 'late' }), askMs);
    const expires = this.#store.clock.now() + askMs;
    this.#store.links
      .send(instance, { t: 'state', id, robot: known.id, session, gateway: this.#store.instance, expires, ...(withDoing ? { doing: true } : {}) })
      .then(
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

/** The fields a robot has in the list and in its state, but its labels. */
function robotFields(record: RobotRecord, online: boolean): Omit<Robot, 'labels'> {
  return {
    id: record.id,
    name: robotName(record.id, record.name),
    online,
    model: record.model ?? '',
    firmware: record.firmware ?? '',
    commands: listedCommands(record.hello.commands as DeclaredCommand[]),
  };
}

const facing: Showing = { card: null, question: null, emotion: 'neutral', view: 'face' };
const nothingKnown: SavedState = { readings: {}, readingsAt: null, showing: facing };
