/** What a fault is: chosen by a seed, injected into a running system, held, and surely healed. */
import type { Store } from '@perch/store';
import type { Random } from '../random.js';
import type { System } from '../system/system.js';

export interface World {
  readonly system: System;
  /** Other systems on this machine: what befalls the machine befalls them, too. */
  readonly neighbours: () => readonly System[];
  readonly robots: RobotsControl;
  /** Past every proxy: for accounts of a fault's own. */
  readonly store: Store;
  /** Revokes one key of each account that programs use, unless that is done already. @throws {StoreError} when Redis does not acknowledge it */
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

/** The robots of the run, as faults see them. */
export interface RobotsControl {
  /** Ids of all of them, in the same order in every run of a seed. */
  readonly ids: readonly string[];
  /** These robots misbehave from now on. @returns ends it; calling it again does nothing */
  misbehave(robots: readonly string[], kind: Misbehaviour): () => void;
  /** Cuts the robots' lines and has them dial this robot-link's url from now on. */
  moveTo(robots: readonly string[], url: string): void;
}

export interface Fault {
  /** Kebab-case, unique; the key in the report. */
  readonly kind: string;
  /** Which Redis it needs. */
  readonly on: 'single' | 'cluster' | 'both';
  /**
   * Prepares this machine for the fault, once before a run; absent: nothing to prepare.
   * @param say receives progress lines
   * @returns why the fault cannot be injected on this machine, or null
   */
  prepare?(say: (line: string) => void): Promise<string | null>;
  /**
   * Chooses a victim and injects; resolves once the fault is in effect.
   * @throws when it could not be injected; nothing is left of it then
   */
  inject(world: World, random: Random): Promise<Injected>;
}

export interface Injected {
  /** For the report: who, what, e.g. `SIGSTOP gateway-1`. */
  readonly what: string;
  /** How long to hold before healing, ms, drawn. */
  readonly holdMs: number;
  /**
   * From which time on (history's clock) Redis itself may have lost what it acknowledged; null: nothing. The loss ends when the fault does.
   * Known at the latest after `heal`.
   */
  lostSince(): number | null;
  /** Resolves once the cause is gone and everything is up again. Safe whatever became of the victim; calling it again is the same heal. */
  heal(): Promise<void>;
}
