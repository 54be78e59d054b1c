/** What both kinds of local Redis have in common. */

export interface LocalRedis {
  readonly kind: 'redis-server' | 'valkey-server' | 'embedded';
  /** `redis://127.0.0.1:PORT`, the same after a restart. */
  readonly url: string;
  readonly port: number;
  /** Process id of the server itself; another one after a restart. */
  readonly pid: number;
  /** Whether the server's process is running (a stopped, SIGSTOPped one is). */
  readonly running: boolean;
  /** Calls back once when the process ends without having been told to by `kill` or `stop`; how it ended, in words. */
  onCrash(report: (how: string) => void): void;
  /** Sends a signal to the server. SIGKILL and SIGTERM resolve when the process is gone, others at once. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same port and with the same files, after `kill`. Ends it first where it still runs. */
  restart(): Promise<void>;
  /** Ends it for good and removes the directory it was given none of. */
  stop(): Promise<void>;
}
