import { MicropythonRobot, requireMicropython } from '@perch/micropython-robot';
import type { Store } from '@perch/store';
import { Person, VirtualRobot } from '@perch/virtual-robot';
import { ClickmapPerson } from './clickmap-person.js';
import type { DemoRobotKind } from './options.js';

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
