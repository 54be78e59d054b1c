/** The lists of robots that pages look at: each account's is looked at once for all its pages of this instance. */
import type { RobotsAnswer } from '@perch/schema';
import { sseRecord } from '../../http/sse/event-text.js';
import { SharedLook } from '../live/shared-poller.js';

const everyMs = 1500;
/** A list is read every 1.5 s for each so many robots of its account: that of 10,000 robots every 15 s. */
const robotsPerRead = 1000;

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
        everyMs: (answer) => everyMs * Math.max(1, Math.ceil((answer?.total ?? 0) / robotsPerRead)),
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
