/** The lists of robots that pages look at: each account's is looked at once for all its pages of this instance. */
import type { RobotsAnswer } from '@perch/schema';
import { sseRecord } from '../server-sent-events.js';
import { SharedLook } from './shared-look.js';

const everyMs = 1500;

export class RobotLists {
  readonly #read: (account: string) => Promise<RobotsAnswer>;
  readonly #looks = new Map<string, SharedLook<RobotsAnswer>>();

  constructor(read: (account: string) => Promise<RobotsAnswer>) {
    this.#read = read;
  }

  /** Tells the list as a record of the stream, now and when it changes. @returns leaves */
  join(account: string, told: (record: string) => void): () => void {
    let look = this.#looks.get(account);
    if (look === undefined) {
      look = new SharedLook<RobotsAnswer>({
        everyMs,
        look: () => this.#read(account),
        // That a robot is still here is no change.
        compared: ({ robots, ...answer }) =>
          JSON.stringify({ ...answer, robots: robots.map((one) => (one.online ? { ...one, last_seen: null } : one)) }),
        textOf: (answer) => sseRecord({ event: 'robots', data: answer }),
        empty: () => this.#looks.delete(account),
      });
      this.#looks.set(account, look);
    }
    return look.join(told);
  }

  /** It was changed on this instance: who looks at it sees that at once. */
  changed(account: string): void {
    this.#looks.get(account)?.wake();
  }
}
