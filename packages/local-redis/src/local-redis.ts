export interface LocalRedis {
  readonly kind: 'redis-server' | 'valkey-server' | 'embedded';
  /** `redis://127.0.0.1:PORT`, the same after a restart. */
  readonly url: string;
  readonly port: number;
  /** Process id of the server itself; changes with a restart. */
  readonly pid: number;
  /** Whether the process of the server exists, also if it is paused by SIGSTOP. */
  readonly running: boolean;
  /** Calls back when the process exits without a call of `kill` or `stop`, with a description of the exit. */
  onCrash(report: (how: string) => void): void;
  /** Sends a signal to the server. SIGKILL and SIGTERM resolve when the process has exited, others at once. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts the server again on the same port with the same files. Kills it first if it is running. */
  restart(): Promise<void>;
  /** Stops the server and removes its directory if that is a temporary one. */
  stop(): Promise<void>;
}
