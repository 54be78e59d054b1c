/** Draws what waits show. A question without pictures of the caller is drawn while its call takes a number, which is one round trip to Redis less. */
import { ApiError } from '@perch/schema';
import type { Store } from '@perch/store';
import type { Call } from '../calls/call.js';
import { sendWithinMs } from '../calls/service-time.js';
import type { PagedPicture } from '../media/paged-text.js';
import { hasFeatures } from '../robots/robot-commands.js';
import type { KnownRobot, RobotDirectory } from '../robots/robot-directory.js';
import { renderOptionsOf, type WaitPlan } from './wait-plan.js';

const notNeeded = new Error('the wait does not need this picture');

export class WaitPictures {
  readonly #clock: Store['clock'];
  readonly #directory: Pick<RobotDirectory, 'cached'>;

  constructor({ clock }: Pick<Store, 'clock'>, directory: Pick<RobotDirectory, 'cached'>) {
    this.#clock = clock;
    this.#directory = directory;
  }

  /** @throws {ApiError} errors of drawing; render_failed if it takes too long */
  async draw(call: Call, robot: KnownRobot, plan: WaitPlan, signal: AbortSignal): Promise<PagedPicture | null> {
    if (plan.picture === null) return null;
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(new ApiError('render_failed', 'The picture was not made in time. Try again.')),
      call.arrivedAt + sendWithinMs - this.#clock.now(),
    );
    try {
      return await plan.picture(robot, renderOptionsOf(plan, AbortSignal.any([signal, late.signal]), call));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Begins to draw for the robot as this gateway knows it. Null: the plan forbids it, or the gateway does not know that the robot can show the wait. */
  drawEarly(call: Call, plan: WaitPlan): EarlyPicture | null {
    const robot = this.#directory.cached(call.robot);
    if (plan.mayDrawEarly !== true || robot === undefined || !hasFeatures(robot.record, plan.needs)) return null;
    const unwanted = new AbortController();
    return new EarlyPicture(robot.lease.session, this.draw(call, robot, plan, unwanted.signal), unwanted);
  }
}

export class EarlyPicture {
  readonly #session: string;
  readonly #drawn: Promise<PagedPicture | null>;
  readonly #unwanted: AbortController;

  constructor(session: string, drawn: Promise<PagedPicture | null>, unwanted: AbortController) {
    this.#session = session;
    this.#drawn = drawn;
    this.#unwanted = unwanted;
    // `of` reports it.
    drawn.catch(() => {});
  }

  /** Returns null if the robot has another session now: its screen may be another. @throws {ApiError} as `draw` */
  of({ lease: { session } }: KnownRobot, signal: AbortSignal): Promise<PagedPicture | null> | null {
    if (session !== this.#session) return null;
    if (signal.aborted) this.drop(signal.reason);
    else signal.addEventListener('abort', () => this.drop(signal.reason), { once: true });
    return this.#drawn;
  }

  /** Does nothing once it is drawn. */
  drop(reason: unknown = notNeeded): void {
    this.#unwanted.abort(reason);
  }
}
