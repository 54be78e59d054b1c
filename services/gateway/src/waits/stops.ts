/** Ends what a robot shows or is about to play when a `stop` arrives. The robot itself ends what it plays. */
import type { Store } from '@perch/store';
import type { Call } from '../calls/call.js';
import { unknownRobot, type CachedRobot } from '../robots/robot-directory.js';

export class Stops {
  readonly #store: Pick<Store, 'waits' | 'linkMailbox'>;

  constructor(store: Pick<Store, 'waits' | 'linkMailbox'>) {
    this.#store = store;
  }

  /** Ends the open wait, and every wait whose call arrived earlier, as replaced. @returns whether one was open */
  async endWaits(call: Call, { id, lease: { instance, session } }: CachedRobot): Promise<boolean> {
    let mayHaveEnded = true;
    try {
      const stopped = await this.#store.waits.stop(id);
      if (stopped === null) throw unknownRobot();
      mayHaveEnded = stopped.ended;
      // A robot-link that takes the robot over meanwhile finds no open wait, and clears a question on the screen.
      this.#store.linkMailbox.send(instance, { t: 'wait_end', robot: id, session, number: stopped.number }).catch(() => {});
      return stopped.ended;
    } finally {
      // Also after a failure, of this part or of another: repeated under the same Idempotency-Key, the call might end a newer wait.
      if (mayHaveEnded) call.effects?.markActed();
    }
  }

  /** Returns null if a stop arrived after this was called. The signal of `work` aborts then, or as the call's does. */
  async unlessStopped<T>({ robot, signal }: Pick<Call, 'robot' | 'signal'>, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const { waits } = this.#store;
    const number = await waits.number(robot);
    if (number === null) throw unknownRobot();
    const stopped = new AbortController();
    const check = async (): Promise<void> => {
      if ((await waits.lastStop(robot)) > number) stopped.abort();
    };
    // A message may be lost, and Redis may be unreachable meanwhile: the check at the end counts.
    const unsubscribe = await waits.subscribe(robot, () => void check().catch(() => {}));
    try {
      const result = await work(AbortSignal.any([signal, stopped.signal]));
      await check();
      return stopped.signal.aborted ? null : result;
    } catch (error) {
      if (stopped.signal.aborted && !signal.aborted) return null;
      throw error;
    } finally {
      unsubscribe();
    }
  }
}
