import { MicropythonRobot, requireMicropython } from '@perch/micropython-robot';
import type { Store } from '@perch/store';
import { Person, VirtualRobot, type TappableRobot } from '@perch/virtual-robot';
import type { DemoRobotKind } from './options.js';
import { targetCenter } from '@perch/screen';

export interface DemoRobot {
  stop(): Promise<void>;
}

export interface DemoRobotOptions {
  kind: DemoRobotKind;
  url: string;
  id: string;
  token: string;
  /** Lets a simulated person answer questions. */
  person: boolean;
  waits: Store['waits'];
  withinMs: number;
  env: NodeJS.ProcessEnv;
  print: (line: string) => void;
}

/** A robot program that fails at once is not started in a busy loop. */
const startAgainMs = 1000;

/** Resolves when the robot is online. @throws if there is no MicroPython for it, or if it is not online within `withinMs` */
export async function startDemoRobot(options: DemoRobotOptions): Promise<DemoRobot> {
  const robot = options.kind === 'micropython' ? await micropythonRobot(options) : new VirtualRobot({ url: options.url, token: options.token });
  const timer = setTimeout(() => void robot.stop(), options.withinMs);
  try {
    await robot.start();
  } catch (error) {
    throw new Error(`the demo robot did not come online: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
  const restarts = robot instanceof MicropythonRobot ? new Restarts(robot, options.print) : null;
  const person = options.person ? new Person(robot) : null;
  const clickmaps = options.person ? new ClickmapPerson({ waits: options.waits, robot: options.id, body: robot }) : null;
  await clickmaps?.start();
  return {
    stop() {
      restarts?.stop();
      person?.stop();
      clickmaps?.stop();
      return robot.stop();
    },
  };
}

async function micropythonRobot({ url, token, env }: DemoRobotOptions): Promise<MicropythonRobot> {
  return new MicropythonRobot({ micropython: await requireMicropython(env), url, token });
}

/** Prints exceptions of the robot program, and starts it again if it ends. */
class Restarts {
  readonly #off: (() => void)[];
  #timer: NodeJS.Timeout | undefined;

  constructor(robot: MicropythonRobot, print: (line: string) => void) {
    this.#off = [
      robot.on('violation', (what) => print(`demo robot: ${what}`)),
      robot.on('closed', ({ final }) => {
        if (final) this.#timer = setTimeout(() => robot.boot(), startAgainMs);
      }),
    ];
  }

  stop(): void {
    clearTimeout(this.#timer);
    for (const off of this.#off) off();
  }
}

// Simulated person who answers clickmaps. Their regions are not visible at the robot; the person reads them from the open wait in Redis, and leaves those alone that count as approvals.

/** Delay before the tap, +/- 30 %, ms. */
const thinkMs = 1000;
const screen = { w: 320, h: 240 };

type Waits = Pick<Store['waits'], 'subscribe' | 'read'>;

interface ClickmapPersonOptions {
  waits: Waits;
  robot: string;
  body: Pick<TappableRobot, 'tap'>;
  thinkMs?: number;
  random?: () => number;
}

class ClickmapPerson {
  readonly #options: ClickmapPersonOptions;
  #number = 0;
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe: () => void = () => {};
  #stopped = false;

  constructor(options: ClickmapPersonOptions) {
    this.#options = options;
  }

  /** Resolves once subscribed: clickmaps armed afterwards are answered. */
  async start(): Promise<void> {
    const { waits, robot } = this.#options;
    this.#unsubscribe = await waits.subscribe(robot, (number) => {
      // If Redis fails, only this clickmap stays unanswered.
      if (number !== null) this.#answer(number).catch(() => {});
    });
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#unsubscribe();
  }

  async #answer(number: number): Promise<void> {
    const { waits, robot, body, random = Math.random } = this.#options;
    if (number <= this.#number) return;
    const wait = await waits.read(robot, number);
    if (this.#stopped || number <= this.#number || wait?.record.kind !== 'clickmap' || wait.armed === null || wait.outcome !== null) return;
    if (wait.record.consent?.approval === true) return;
    const points = wait.record.targets.map(targetCenter).filter(([x, y]) => x >= 0 && y >= 0 && x < screen.w && y < screen.h);
    const point = points[Math.floor(random() * points.length)];
    if (point === undefined) return;
    this.#number = number;
    clearTimeout(this.#timer);
    const afterMs = (this.#options.thinkMs ?? thinkMs) * (0.7 + 0.6 * random());
    this.#timer = setTimeout(() => void body.tap(...point), afterMs);
  }
}
