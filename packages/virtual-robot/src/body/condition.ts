import { Timers, type Clock } from '../clock.js';

const pollMs = 25;

export interface Condition {
  clock: Clock;
  timeoutMs: number;
  /** An exception ends the wait. */
  holds: () => boolean;
  onChange: (check: () => void) => () => void;
  timeoutMessage: () => string;
}

/** Checks at every change, and every 25 ms for changes without an event. */
export function until({ clock, timeoutMs, holds, onChange, timeoutMessage }: Condition): Promise<void> {
  if (holds()) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timers = new Timers(clock);
    const settle = (run: () => void): void => {
      timers.stopAll();
      off();
      run();
    };
    const check = (): void => {
      try {
        if (holds()) settle(resolve);
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const poll = (): void => {
      timers.after(pollMs, poll);
      check();
    };
    const off = onChange(check);
    timers.after(pollMs, poll);
    timers.after(timeoutMs, () => settle(() => reject(new Error(timeoutMessage()))));
  });
}
