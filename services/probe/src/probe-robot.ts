/** The probe's robot, with a simulated person who answers its questions. */
import type { Logger } from '@perch/runtime';
import { linkUrlOf, Person, VirtualRobot, type Closed, type RobotOptions, type TappableRobot } from '@perch/virtual-robot';
import { abortable } from './abortable.js';
import { CheckFailed } from './check.js';

/** An open connection hides that new ones fail, as after a certificate expired. */
const sessionMsMax = 600_000;
/** A person sees a question this long before the tap, ms. */
const thinkMs = 500;
/** At most 5 s between dials: the service is seen again soon after an outage. */
const reconnect = { minMs: 1000, maxMs: 5000 };
/** The service closes a connection with it when another one of the same robot is welcomed. */
const replaced = 4001;

const answering = {
  model: 'perch-probe',
  firmware: 'perch-probe',
  serial: 'perch-probe',
  features: ['screen', 'touch'],
  commands: [],
  sensors: false,
  reconnect,
};

type Robot = Pick<VirtualRobot, 'online' | 'start' | 'stop'> & TappableRobot & { on: VirtualRobot['on'] };

interface Connected {
  robot: Robot;
  person: Person;
  since: number;
}

export interface ProbeRobotOptions {
  /** URL of the robot link, or of the service. */
  url: string;
  token: string;
  log: Pick<Logger, 'warn'>;
  sessionMsMax?: number;
  create?: (options: RobotOptions) => Robot;
}

export class ProbeRobot {
  readonly #options: ProbeRobotOptions;
  #connected: Connected | null = null;
  /** How the last dial or connection ended; null: not yet. */
  #closed: Closed | null = null;
  /** Warned of once: the two replace each other all the time. */
  #isReplaced = false;

  constructor(options: ProbeRobotOptions) {
    this.#options = options;
  }

  get isOnline(): boolean {
    return this.#connected?.robot.online === true;
  }

  /** Begins to connect unless that has begun; the robot goes on by itself until the service refuses it for good. */
  connect(): void {
    if (this.#connected !== null) return;
    const { url, token, log, create = (options) => new VirtualRobot(options) } = this.#options;
    const robot = create({ url: linkUrlOf(url), token, ...answering });
    const connected = { robot, person: new Person(robot, { thinkMs }), since: performance.now() };
    this.#connected = connected;
    this.#closed = null;
    robot.on('closed', (event) => {
      const { code, final } = event;
      if (this.#connected === connected) this.#closed = event;
      if (code === replaced && !this.#isReplaced) {
        this.#isReplaced = true;
        log.warn('another connection uses the token of this robot: each probe needs a robot of its own (perch probe add)');
      }
      if (!final || code === 1000) return;
      // The next turn tries again: an operator may restore what is missing.
      connected.person.stop();
      if (this.#connected === connected) this.#connected = null;
    });
    // Every end is reported as closed, too.
    robot.start().catch(() => {});
  }

  /** Resolves when the robot is online, in a session of at most 10 min. @throws {CheckFailed} the service refuses it, or the signal is aborted */
  async ready(signal: AbortSignal): Promise<void> {
    const { sessionMsMax: sessionMs = sessionMsMax } = this.#options;
    if (this.#connected !== null && performance.now() - this.#connected.since >= sessionMs) await this.stop();
    this.connect();
    try {
      await abortable(this.#connected!.robot.start(), signal);
    } catch (error) {
      throw new CheckFailed('robot_offline', this.#offline(), { cause: error });
    }
  }

  /** Without the token, and without a password or query in the URL. */
  #offline(): string {
    const { code, reason, status } = this.#closed ?? { code: 0, reason: 'no answer', status: null };
    const why = status === null ? `${code === 0 ? '' : code} ${reason}`.trim() : reason;
    const isElsewhere = status !== null && status < 500 && ![401, 429].includes(status);
    const hint =
      status === 401 ? '; perch probe add makes a token' : isElsewhere ? '; set PERCH_LINK_PUBLIC_URL to the address that robots dial' : '';
    return `the robot of the probe is not connected: ${linkUrlOf(this.#options.url)}: ${why}${hint}`;
  }

  async stop(): Promise<void> {
    const connected = this.#connected;
    this.#connected = null;
    connected?.person.stop();
    await connected?.robot.stop();
  }
}
