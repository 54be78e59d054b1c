/** What is under test: built services as processes behind proxies of ours, on a Redis of ours. */
import type { ServiceName } from '@perch/launcher';
import type { Instance } from './instance.js';
import type { Leak } from './leaks.js';
import type { SystemRedis } from './redis.js';

export type RedisShape = 'single' | 'cluster';

export interface SystemOptions {
  redis: RedisShape;
  /** A directory of the system's own for what it writes; emptied at `stop`. */
  dir: string;
  /** Each line a service logs, with its place. */
  log?: (line: string, place: string) => void;
  /** A process ended that nobody had told to: a violation. */
  onCrash?: (place: string, how: string) => void;
}

export interface System {
  readonly shape: RedisShape;
  readonly gateways: readonly Instance[];
  readonly links: readonly Instance[];
  readonly renderers: readonly Instance[];
  /** All of them. */
  readonly instances: readonly Instance[];
  readonly redis: SystemRedis;
  /** Ends the process in a place (SIGKILL where it still runs) and starts another; resolves when it is ready. @param env over the place's own */
  replace(instance: Instance, env?: Readonly<Record<string, string>>): Promise<void>;
  /** SIGTERM, and a successor once the process is gone: one step of a rolling restart. */
  roll(instance: Instance): Promise<void>;
  /** Sends a signal; SIGSTOP and SIGCONT break and mend `running`. */
  signal(instance: Instance, signal: NodeJS.Signals): void;
  /** Resolves when every place runs, is ready (`/readyz`) and Redis answers. @throws after `withinMs`, naming who is not */
  settled(withinMs: number): Promise<void>;
  /** Notes what each instance holds now, as what it should come back to. Call when nothing is under way. */
  noteBaseline(): Promise<void>;
  /** What did not come back to the baseline within `withinMs`; empty when all did. Call when nothing is under way. */
  leaks(withinMs: number): Promise<Leak[]>;
  /** Ends everything within 10 s and removes what it wrote. Calling it again is the same stop. */
  stop(): Promise<void>;
}

export type { Instance, Leak, ServiceName };
