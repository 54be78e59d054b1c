/**
 * Lets the simulated person answer clickmaps. The robot is not told the regions of a clickmap, and its screen may stay as it is, so a person could
 * not see them: like somebody whom the program's author tells where to tap, this one reads the open wait from Redis.
 */
import { targetCenter } from '@perch/screen';
import type { Store } from '@perch/store';
import type { RobotCore } from '@perch/virtual-robot';

/** Time to find the region, give or take 30 %, ms. */
const thinkMs = 1000;
const screen = { w: 320, h: 240 };

type Waits = Pick<Store['waits'], 'subscribe' | 'read'>;

export interface ClickmapPersonOptions {
  waits: Waits;
  /** Id of the robot at which the person is. */
  robot: string;
  body: Pick<RobotCore, 'tap'>;
  thinkMs?: number;
  random?: () => number;
}

export class ClickmapPerson {
  readonly #options: ClickmapPersonOptions;
  /** The wait about to be answered, or answered last. */
  #number = 0;
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe: () => void = () => {};
  #stopped = false;

  constructor(options: ClickmapPersonOptions) {
    this.#options = options;
  }

  /** Resolves once every clickmap armed from now on is answered. */
  async start(): Promise<void> {
    const { waits, robot } = this.#options;
    this.#unsubscribe = await waits.subscribe(robot, (number) => {
      // A failure of Redis costs one answer of a simulated person.
      if (number !== null) this.#look(number).catch(() => {});
    });
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#unsubscribe();
  }

  async #look(number: number): Promise<void> {
    const { waits, robot, body, random = Math.random } = this.#options;
    if (number <= this.#number) return;
    const wait = await waits.read(robot, number);
    if (this.#stopped || number <= this.#number || wait?.record.kind !== 'clickmap' || wait.armed === null || wait.outcome !== null) return;
    const points = wait.record.targets.map(targetCenter).filter(([x, y]) => x >= 0 && y >= 0 && x < screen.w && y < screen.h);
    const point = points[Math.floor(random() * points.length)];
    if (point === undefined) return;
    this.#number = number;
    clearTimeout(this.#timer);
    const afterMs = (this.#options.thinkMs ?? thinkMs) * (0.7 + 0.6 * random());
    this.#timer = setTimeout(() => void body.tap(...point), afterMs);
  }
}
