/** What a command needs to do its work. */
import type { Store } from '@perch/store';

export interface Session {
  environment: Record<string, string | undefined>;
  /** How the call ends when nothing throws. */
  exitCode: number;
  /** Runs the work on the system's store, which is closed after it. */
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** Prints the answer: one line of JSON with `--json`, else the text, where there is any. */
  print(json: boolean | undefined, answer: object, text: string): void;
}
