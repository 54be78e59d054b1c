import type { Store } from '@perch/store';

export interface Session {
  environment: Record<string, string | undefined>;
  /** Exit code unless the command throws. */
  exitCode: number;
  /** Runs the work with the system's store, which is then closed. */
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** Prints text unchanged; it must be safe for a terminal. */
  write: (text: string) => void;
  /**
   * Prints the result: with `--json` one line of JSON, otherwise its text, unless that is empty.
   * @param text receives a copy of the result whose strings are safe to print; text from other sources must already be safe
   */
  print<T extends object>(json: boolean | undefined, answer: T, text: (answer: T) => string): void;
}
