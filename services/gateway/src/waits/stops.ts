/** A robot ends what it plays when a `stop` arrives. What is still being made for it is ended here. */
import type { Store } from '@perch/store';
import type { Call } from '../calls/call.js';
import { unknownRobot } from '../robots/robot-directory.js';

export class Stops {
  readonly #waits: Pick<Store['waits'], 'number' | 'lastStop' | 'subscribe'>;

  constructor({ waits }: { waits: Pick<Store['waits'], 'number' | 'lastStop' | 'subscribe'> }) {
    this.#waits = waits;
  }

  /** Returns null if a stop arrived after this was called. The signal of `work` aborts then, or as the call's does. */
  async unlessStopped<T>({ robot, signal }: Pick<Call, 'robot' | 'signal'>, work: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const number = await this.#waits.number(robot);
    if (number === null) throw unknownRobot();
    const stopped = new AbortController();
    const check = async (): Promise<void> => {
      if ((await this.#waits.lastStop(robot)) > number) stopped.abort();
    };
    // A message may be lost, and Redis may be unreachable meanwhile: the check at the end counts.
    const unsubscribe = await this.#waits.subscribe(robot, () => void check().catch(() => {}));
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
