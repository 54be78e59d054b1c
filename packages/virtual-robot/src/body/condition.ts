/** Waiting until something holds, looked at whenever it may have changed. */

import { Timers, type Clock } from '../clock.js';

const lookAgainMs = 25;

export interface Condition {
  clock: Clock;
  timeoutMs: number;
  /** Looks; what it throws ends the waiting. */
  holds: () => boolean;
  /** Calls back at every change; answers how to end that. */
  onChange: (look: () => void) => () => void;
  /** What to say when the time is over. */
  late: () => string;
}

/** Looks at every change, and every 25 ms for what changes without a word. */
export function until({ clock, timeoutMs, holds, onChange, late }: Condition): Promise<void> {
  if (holds()) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timers = new Timers(clock);
    const settle = (run: () => void): void => {
      timers.stopAll();
      off();
      run();
    };
    const look = (): void => {
      try {
        if (holds()) settle(resolve);
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const lookAgain = (): void => {
      timers.after(lookAgainMs, lookAgain);
      look();
    };
    const off = onChange(look);
    timers.after(lookAgainMs, lookAgain);
    timers.after(timeoutMs, () => settle(() => reject(new Error(late()))));
  });
}
