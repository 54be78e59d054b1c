/** Simulated person who answers clickmaps. Their regions are not visible at the robot; the person reads them from the open wait in Redis, and leaves those alone that count as approvals. */
import { targetCenter } from '@perch/screen';
import type { Store } from '@perch/store';
import type { TappableRobot } from '@perch/virtual-robot';

/** Delay before the tap, +/- 30 %, ms. */
const thinkMs = 1000;
const screen = { w: 320, h: 240 };

type Waits = Pick<Store['waits'], 'subscribe' | 'read'>;

export interface ClickmapPersonOptions {
  waits: Waits;
  robot: string;
  body: Pick<TappableRobot, 'tap'>;
  thinkMs?: number;
  random?: () => number;
}

export class ClickmapPerson {
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
