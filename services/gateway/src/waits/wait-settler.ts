/** Ends waits: for calls and other callers, by Idempotency-Key, and those that outlive their calls and that nobody else ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Repeated } from '@perch/runtime';
import { ApiError, type WaitOutcome } from '@perch/schema';
import { answerWithinMs } from '../calls/service-time.js';
import { endOf, lateOutcome, settleGraceMs, type WaitEnd, type WaitServices } from './wait.js';

/** The client disconnects from its call and sends the removal at once: another gateway may get it sooner than the call. */
const arrivesWithinMs = 1_000;
const readEveryMs = 200;

export class WaitSettler {
  readonly #services: WaitServices;

  constructor(services: WaitServices) {
    this.#services = services;
  }

  /** @param robotAway whether the robot is away now @returns the stored outcome, which may be an earlier one */
  async settle(robot: string, number: number, outcome: WaitOutcome, robotAway = false): Promise<WaitEnd> {
    const { waits, linkMailbox } = this.#services.store;
    const settled = await waits.settle(robot, number, outcome, null, undefined, robotAway);
    const read = async (): Promise<WaitEnd> => endOf(await waits.read(robot, number)) ?? { ...outcome, robotAway };
    if (!settled.settled) return read();
    const holder = (await this.#services.directory.find(robot).catch(() => null))?.lease;
    // For a robot that is moving, the robot-link that takes it over clears a question without an open wait.
    if (holder?.state === 'held') linkMailbox.send(holder.instance, { t: 'wait_end', robot, session: holder.session, number }).catch(() => {});
    return outcome.outcome === 'timed_out' ? read() : { ...outcome, robotAway };
  }

  /**
   * Waits until the question of a call with an Idempotency-Key is open, then cancels it: it stays open for a while after its client disconnected.
   * @param callName among the calls of the robot @throws {ApiError} not_found if none is open or being drawn
   */
  async cancelCall(robot: string, callName: string): Promise<void> {
    for (const since = performance.now(); ;) {
      const call = await this.#services.store.calls.read(robot, callName);
      if (call !== null && call.wait !== null) {
        await this.settle(robot, call.wait, { outcome: 'cancelled' });
        return;
      }
      if (performance.now() - since > (call === null ? arrivesWithinMs : answerWithinMs))
        throw new ApiError('not_found', 'No question of a call with this Idempotency-Key is open.');
      await sleep(readEveryMs);
    }
  }
}

const sweepEveryMs = 1_000;
const sweptAtOnce = 100;
/** The next look at an open wait is after a minute, ms. */
const keepPicturesMs = 240_000;

/**
 * Looks after waits that outlive their calls: ends those whose robot-link did not, because the robot is away or the instance died, and reports those
 * whose end was not reported, or whose key or sharing has ended. Keeps the pictures of open ones, which a robot that restarts shows again. All
 * gateways do; each step may be done twice.
 */
export class DetachedWaitSweep {
  readonly #services: WaitServices;
  readonly #settler: WaitSettler;
  readonly #sweeps = new Repeated(sweepEveryMs, () => this.#sweep());

  constructor(services: WaitServices, settler: WaitSettler) {
    this.#services = services;
    this.#settler = settler;
  }

  start(): void {
    this.#sweeps.start();
  }

  stop(): Promise<void> {
    return this.#sweeps.stop();
  }

  async #sweep(): Promise<void> {
    const { store, log } = this.#services;
    try {
      for (const { robot, number } of await store.detachedWaits.due(sweptAtOnce)) await this.#lookAfter(robot, number);
    } catch (error) {
      log.warn({ err: error }, 'could not look after questions that outlive their calls; the next look follows');
    }
  }

  async #lookAfter(robot: string, number: number): Promise<void> {
    const { store, directory } = this.#services;
    const { waits, detachedWaits, endings, media, clock } = store;
    const state = await waits.read(robot, number);
    if (state?.detached !== undefined && state.outcome === null) {
      const deadline = state.armed?.deadline ?? 0;
      const known = await directory.read(robot);
      const { owner } = state.detached;
      const lifeMs = owner === undefined || known === null ? Infinity : await endings.lifeOf(known.record.account, robot, owner);
      if (lifeMs === 0) {
        await this.#settler.settle(robot, number, { outcome: 'cancelled' });
        return detachedWaits.report(robot, number);
      }
      if (clock.now() < deadline + settleGraceMs) {
        const { picture, pages = [], greyPages = [] } = state.record;
        for (const { account, hash } of [...(picture === null ? [] : [picture]), ...[...pages, ...greyPages].map((page) => page.picture)])
          await media.find(account, hash, keepPicturesMs);
        return detachedWaits.lookAgain(robot, number, Math.min(deadline, clock.now() + lifeMs));
      }
      const away = known?.lease.state === 'away';
      await this.#settler.settle(robot, number, lateOutcome(state), away);
    }
    await detachedWaits.report(robot, number);
  }
}
