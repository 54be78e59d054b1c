/** What a command needs to do its work. */
import type { Store } from '@perch/store';

export interface Session {
  environment: Record<string, string | undefined>;
  /** How the call ends when nothing throws. */
  exitCode: number;
  /** Runs the work on the system's store, which is closed after it. */
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** Prints text as it is: it must be safe for a terminal. */
  write: (text: string) => void;
  /**
   * Prints the answer: one line of JSON with `--json`, else the text made of it, unless that is empty.
   * @param text receives a copy of the answer whose strings are safe to print; text of other sources must be safe already
   */
  print<T extends object>(json: boolean | undefined, answer: T, text: (answer: T) => string): void;
}
