import type { RedisReport, Store } from '@perch/store';

/** One run of the program, passed to the commands of the CLI. */
export interface Session {
  environment: Record<string, string | undefined>;
  /** Exit code if the command does not throw; set by commands that can fail without throwing. Initially 0. */
  exitCode: number;
  /** Runs the work with the store of the running system, in the Redis of PERCH_REDIS_URL. The store is then closed. */
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** Reads what the Redis of PERCH_REDIS_URL can do, also if no store can be opened there. */
  readRedis(): Promise<RedisReport>;
  /** The text must be safe for a terminal. */
  write: (text: string) => void;
  /** Prints a line on standard error, made safe to print. */
  warn: (text: string) => void;
  /** Prints lines on standard error, made safe to print. */
  showLines: (text: string) => void;
  /** Asks the user, where there is one. False otherwise, and for every answer except y and yes. */
  confirm: (question: string) => Promise<boolean>;
  /** Reads standard input; where a person types, they are asked for a line, which is not shown. */
  readSecret: (prompt: string) => Promise<string>;
  /** Reads all of standard input. */
  readInput: () => Promise<string>;
  /** Called before a question is asked: a reader that closes the pipe must not hide how it ended. */
  outcomeMatters: () => void;
  /** The working directory. */
  folder: string;
  writeBytes: (bytes: Uint8Array) => void;
  /** A person sees the output as it is. */
  isTerminal: boolean;
  /**
   * With `--json` prints one line of JSON, otherwise the text, unless it is empty.
   * @param text receives a copy whose strings are safe to print; text from other sources must already be safe
   */
  print<T extends object>(json: boolean | undefined, answer: T, text: (answer: T) => string): void;
}
