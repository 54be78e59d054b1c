import { Timers, type Clock } from '../clock.js';

const pollMs = 25;

export interface Condition {
  clock: Clock;
  timeoutMs: number;
  /** Checks the condition; an exception ends the wait. */
  holds: () => boolean;
  /** Subscribes to changes; returns a function that unsubscribes. */
  onChange: (check: () => void) => () => void;
  /** Returns the error message for a time-out. */
  timeoutMessage: () => string;
}

/** Resolves when the condition holds. Checks it at every change, and every 25 ms for changes without an event. */
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
