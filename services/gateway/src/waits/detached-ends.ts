/**
 * Looks after waits that outlive their calls: ends those whose robot-link did not, because the robot is away or the instance died, and reports those
 * whose end was not reported, or whose key or sharing has ended. Keeps the pictures of open ones, which a robot that restarts shows again. All gateways do; each step may be done twice.
 */
import { Repeated, type Logger } from '@perch/runtime';
import type { Store } from '@perch/store';
import type { RobotDirectory } from '../robots/robot-directory.js';
import { lateOutcome } from './wait-outcome.js';
import type { WaitSettler } from './wait-settler.js';

const everyMs = 1_000;
const atOnceMax = 100;
/** The robot-link ends a wait at its deadline, ms. */
const graceMs = 250;
/** The next look at an open wait is after a minute, ms. */
const keepPicturesMs = 240_000;

export interface DetachedEndsOptions {
  store: Pick<Store, 'waits' | 'detachedWaits' | 'endings' | 'media' | 'clock'>;
  directory: Pick<RobotDirectory, 'read'>;
  settler: Pick<WaitSettler, 'settle'>;
  log: Logger;
}

export class DetachedEnds {
  readonly #options: DetachedEndsOptions;
  readonly #looks = new Repeated(everyMs, () => this.#look());

  constructor(options: DetachedEndsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#looks.start();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async #look(): Promise<void> {
    const { store, log } = this.#options;
    try {
      for (const { robot, number } of await store.detachedWaits.due(atOnceMax)) await this.#lookAfter(robot, number);
    } catch (error) {
      log.warn({ err: error }, 'could not look after questions that outlive their calls; the next look follows');
    }
  }

  async #lookAfter(robot: string, number: number): Promise<void> {
    const { store, directory, settler } = this.#options;
    const { waits, detachedWaits, endings, media, clock } = store;
    const state = await waits.read(robot, number);
    if (state?.detached !== undefined && state.outcome === null) {
      const deadline = state.armed?.deadline ?? 0;
      const known = await directory.read(robot);
      const { owner } = state.detached;
      const lifeMs = owner === undefined || known === null ? Infinity : await endings.lifeOf(known.record.account, robot, owner);
      if (lifeMs === 0) {
        await settler.settle(robot, number, { outcome: 'cancelled' });
        return detachedWaits.report(robot, number);
      }
      if (clock.now() < deadline + graceMs) {
        const { picture, pages = [], greyPages = [] } = state.record;
        for (const { account, hash } of [...(picture === null ? [] : [picture]), ...[...pages, ...greyPages].map((page) => page.picture)])
          await media.find(account, hash, keepPicturesMs);
        return detachedWaits.lookAgain(robot, number, Math.min(deadline, clock.now() + lifeMs));
      }
      const away = known?.lease.state === 'away';
      await settler.settle(robot, number, lateOutcome(state), away);
    }
    await detachedWaits.report(robot, number);
  }
}
