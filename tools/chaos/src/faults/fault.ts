/** A fault: chosen by a seed, injected into a running system, held, and always healed. */
import type { Store } from '@perch/store';
import type { Random } from '../random.js';
import type { System } from '../system/system.js';

export interface FaultEnvironment {
  readonly system: System;
  /** A fault of the machine affects them, too. */
  readonly neighbours: () => readonly System[];
  readonly robots: RobotsControl;
  /** For accounts that a fault creates. */
  readonly store: Store;
  /** Unless that is done already. @throws {StoreError} if Redis does not acknowledge it */
  readonly revokeKeys: () => Promise<void>;
}

export const misbehaviours = [
  'never-ack',
  'ack-late',
  'ack-twice',
  'garbage',
  'unreadable-input',
  'flood',
  'stop-reading',
  'reconnect-storm',
  'half-open',
  'duplicate-session',
] as const;
export type Misbehaviour = (typeof misbehaviours)[number];

export interface RobotsControl {
  /** In the same order in every run of a seed. */
  readonly ids: readonly string[];
  /** @returns ends it; calling it more than once is safe */
  misbehave(robots: readonly string[], kind: Misbehaviour): () => void;
  moveTo(robots: readonly string[], url: string): void;
}

export interface Fault {
  /** Kebab-case, unique; the key in the report. */
  readonly kind: string;
  readonly on: 'single' | 'cluster' | 'both';
  /** Called once before a run. @param say receives progress lines @returns why the fault cannot be injected on this machine, or null */
  prepare?(log: (line: string) => void): Promise<string | null>;
  /** Resolves once the fault is in effect. @throws if it could not be injected; nothing of it remains then */
  inject(environment: FaultEnvironment, random: Random): Promise<Injected>;
}

export interface Injected {
  /** Victim and action, for the report, e.g. `SIGSTOP gateway-1`. */
  readonly what: string;
  /** Drawn. */
  readonly holdMs: number;
  /** Time from which Redis itself may have lost acknowledged writes, until the end of the fault; null: none. Final after `heal`. */
  lostSince(): number | null;
  /** Another Redis process was the master meanwhile, also if the first one is again: event numbers may jump. */
  readonly tookOver: boolean;
  /** Resolves once everything runs again. Safe whatever happened to the victim; a second call returns the same promise. */
  heal(): Promise<void>;
}
