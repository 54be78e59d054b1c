/** Polls the robot lists that pages show, once per account for all its pages of this instance. */
import type { RobotsAnswer } from '@perch/schema';
import { sseRecord } from '../../http/sse/event-text.js';
import { SharedPoller } from '../live/shared-poller.js';

const intervalMs = 1500;
/** The interval grows by 1.5 s with each 1000 robots of the account: a list of 10,000 robots is read every 15 s. */
const robotsPerRead = 1000;

export class RobotLists {
  readonly #read: (account: string) => Promise<RobotsAnswer>;
  readonly #pollers = new Map<string, SharedPoller<RobotsAnswer>>();

  constructor(read: (account: string) => Promise<RobotsAnswer>) {
    this.#read = read;
  }

  subscribe(account: string, onRecord: (record: string) => void): () => void {
    let poller = this.#pollers.get(account);
    if (poller === undefined) {
      poller = new SharedPoller<RobotsAnswer>({
        intervalMs: (answer) => intervalMs * Math.max(1, Math.ceil((answer?.total ?? 0) / robotsPerRead)),
        poll: () => this.#read(account),
        // `last_seen` of an online robot is the current time: not a change.
        comparable: ({ robots, shared = [], ...answer }) =>
          JSON.stringify({ ...answer, robots: [...robots, ...shared].map((one) => (one.online ? { ...one, last_seen: null } : one)) }),
        format: (answer) => sseRecord({ event: 'robots', data: answer }),
        onEmpty: () => this.#pollers.delete(account),
      });
      this.#pollers.set(account, poller);
    }
    return poller.subscribe(onRecord);
  }

  changed(account: string): void {
    this.#pollers.get(account)?.pollNow();
  }
}
