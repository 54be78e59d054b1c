/** Removes the question of a call with an Idempotency-Key, which stays open for a while after its client disconnected. At any gateway. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@perch/schema';
import type { Store } from '@perch/store';
import { answerWithinMs } from '../calls/service-time.js';
import type { WaitSettler } from './wait-settler.js';

/** The client disconnects from its call and sends the removal at once: another gateway may get it sooner than the call. */
const arrivesWithinMs = 1_000;
const readEveryMs = 200;

export class KeyedRemovals {
  readonly #store: Pick<Store, 'calls'>;
  readonly #settler: Pick<WaitSettler, 'settle'>;

  constructor(store: Pick<Store, 'calls'>, settler: Pick<WaitSettler, 'settle'>) {
    this.#store = store;
    this.#settler = settler;
  }

  /**
   * Waits until the question of the call is open, then removes it.
   * @param callName among the calls of the robot @throws {ApiError} not_found if none is open or being drawn
   */
  async remove(robot: string, callName: string): Promise<void> {
    for (const since = performance.now(); ;) {
      const call = await this.#store.calls.read(robot, callName);
      if (call !== null && call.wait !== null) {
        await this.#settler.settle(robot, call.wait, { outcome: 'cancelled' });
        return;
      }
      if (performance.now() - since > (call === null ? arrivesWithinMs : answerWithinMs)) throw nothingOpen();
      await sleep(readEveryMs);
    }
  }
}

function nothingOpen(): ApiError {
  return new ApiError('not_found', 'No question of a call with this Idempotency-Key is open.');
}
