import type { CallKind, Mix, ReaderKind } from '../mix.js';

export interface RobotSeed {
  id: string;
  token: string;
  reader: ReaderKind;
}

export interface AccountSeed {
  account: string;
  /** API keys of the programs that call, and of those that receive events. */
  callKeys: readonly string[];
  readKeys: readonly string[];
  robots: readonly RobotSeed[];
}

export interface WorkerPlan {
  seed: string;
  bases: readonly string[];
  /** URLs that robots dial. A robot that cannot connect, or loses its connection, tries the next one. */
  links: readonly string[];
  firstLink: number;
  /** Whether the next robot dials the next URL; otherwise all robots of this worker dial the same one. */
  spreads: boolean;
  /** Address on which the receiver of webhooks listens; null: no webhooks. */
  webhookHost: string | null;
  mix: Mix;
  ratePerS: number;
  durationMs: number;
  accounts: readonly AccountSeed[];
}

/** The part of a worker's plan that its process of robots gets. */
export interface RobotsPlan extends Pick<WorkerPlan, 'seed' | 'links' | 'firstLink' | 'spreads' | 'mix' | 'durationMs'> {
  robots: readonly Pick<RobotSeed, 'id' | 'token'>[];
}

export interface PreparedWorker {
  webhookUrl: string | null;
  robotsPid: number;
}

export interface SentTap {
  robot: string;
  n: number;
  /** sharedNow() */
  at: number;
}

export interface ConfirmedCommand {
  robot: string;
  mark: string;
}

/** Reports of the robots to the process of the programs, at intervals. */
export interface RobotsNews {
  /** Taps since the last news; all taps up to `until` (sharedNow()) have been reported. */
  taps: SentTap[];
  until: number;
  /** Those of the commands asked for that their robot never received. */
  missing: ConfirmedCommand[];
}

export interface RobotsSample {
  connected: number;
  late: string;
}

export interface RobotsResult {
  connected: number;
  late: string;
  awayTimes: string;
  done: number;
  doubled: number;
  problems: string[];
}

export interface Sample {
  connected: number;
  started: number;
  errors: number;
  inFlight: number;
  calls: string;
  lateP99Ms: number;
  eventsP99Ms: number;
  eventsSent: number;
  eventsSeen: number;
}

export interface WorkerStorm {
  lost: number;
  /** Those with a session again, and when the last one got it (Unix time, ms). */
  back: number;
  lastBackAt: number;
}

export interface ReaderCounts {
  robots: number;
  sent: number;
  seen: number;
  doubled: number;
  /** Histogram as text: from the beginning of the touch, which lasts 90 ms, to its event at the program. */
  histogram: string;
}

export interface WorkerResult {
  connected: number;
  codes: Record<string, number>;
  errors: number;
  /** Calls that failed because the robot was offline, as observed by this worker. */
  away: number;
  /** Calls that were rejected as invalid: the load is at fault, not the service. */
  refused: number;
  calls: Record<CallKind, string>;
  late: string;
  answers: string;
  /** Calls to robots that kept their session, during the storm. */
  others: string;
  /** Time from the loss of a session to the next one. */
  awayTimes: string;
  asks: Record<string, number>;
  readers: Record<ReaderKind, ReaderCounts>;
  /** Redelivered under the same webhook-id, which is allowed. */
  redelivered: number;
  readerCodes: Record<string, number>;
  commands: { confirmed: number; done: number; lost: number; doubled: number };
  problems: string[];
}
