import type { WaitOutcome } from '@perch/schema';
import type { Store } from '@perch/store';
import type { RobotDirectory } from '../robots/robot-directory.js';
import { overOf, type Over } from './wait-outcome.js';

export class WaitSettler {
  readonly #store: Pick<Store, 'waits' | 'linkMailbox'>;
  readonly #directory: RobotDirectory;

  constructor(store: Pick<Store, 'waits' | 'linkMailbox'>, directory: RobotDirectory) {
    this.#store = store;
    this.#directory = directory;
  }

  /** @param robotAway whether the robot is away now @returns the stored outcome, which may be an earlier one */
  async settle(robot: string, number: number, outcome: WaitOutcome, robotAway = false): Promise<Over> {
    const { waits, linkMailbox } = this.#store;
    const settled = await waits.settle(robot, number, outcome, null, undefined, robotAway);
    const read = async (): Promise<Over> => overOf(await waits.read(robot, number)) ?? { ...outcome, robotAway };
    if (!settled.settled) return read();
    const holder = (await this.#directory.find(robot).catch(() => null))?.lease;
    // For a robot that is moving, the robot-link that takes it over clears a question without an open wait.
    if (holder?.state === 'held') linkMailbox.send(holder.instance, { t: 'wait_end', robot, session: holder.session, number }).catch(() => {});
    return outcome.outcome === 'timed_out' ? read() : { ...outcome, robotAway };
  }
}
