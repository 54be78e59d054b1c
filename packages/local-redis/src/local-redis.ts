export interface LocalRedis {
  readonly kind: 'redis-server' | 'valkey-server' | 'embedded';
  /** `redis://127.0.0.1:PORT`, the same after a restart. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Sends one command, as `askRedis`, as the administrator that the server was started with. */
  ask(words: readonly string[], options?: { timeoutMs?: number }): Promise<string>;
  /** Also if it is paused by SIGSTOP. */
  readonly running: boolean;
  /** Calls back when the process exits without `kill` or `stop`. */
  onCrash(report: (how: string) => void): void;
  /** SIGKILL and SIGTERM resolve when the process has exited, others at once. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Kills the server first if it is running. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}
