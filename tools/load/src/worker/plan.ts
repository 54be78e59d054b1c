/** What a worker process is given, and what it answers. Everything is plain data: it crosses a process boundary. */
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
  /** Base addresses of gateways; calls go to them in turn. */
  bases: readonly string[];
  /** Addresses that robots dial. A robot that cannot connect, or loses its connection, tries the next one. */
  links: readonly string[];
  /** Index in `links` of the address that the first robot dials. */
  firstLink: number;
  /** The next robot dials the next address. False: all robots of this worker dial the same one. */
  spreads: boolean;
  /** Address that the receiver of webhooks listens on; null: no webhooks. */
  webhookHost: string | null;
  mix: Mix;
  ratePerS: number;
  durationMs: number;
  accounts: readonly AccountSeed[];
}

/** What a worker did since the last sample. */
export interface Sample {
  connected: number;
  /** Calls that were started, and that failed by the service. */
  started: number;
  errors: number;
  inFlight: number;
  /** Histogram as text. */
  calls: string;
  lateP99Ms: number;
  eventsP99Ms: number;
  /** Since the beginning. */
  eventsSent: number;
  eventsSeen: number;
}

export interface WorkerStorm {
  /** Robots that lost their session. */
  lost: number;
  /** Of them, robots that have a session again, and when the last one got it (Unix time, ms). */
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
  /** Answers by their code: `ok`, a code of the error table, or the error of a connection. */
  codes: Record<string, number>;
  errors: number;
  /** Calls that failed because the robot had no connection, as this worker knows. */
  away: number;
  /** Calls that were refused as wrong: the load, not the service, is at fault. */
  refused: number;
  calls: Record<CallKind, string>;
  late: string;
  /** From the tap on an answer to the end of the call that asked. */
  answers: string;
  /** Calls to robots that kept their session, during the storm. */
  others: string;
  /** From the loss of a session to the next one. */
  awayTimes: string;
  asks: Record<string, number>;
  readers: Record<ReaderKind, ReaderCounts>;
  /** Messages to webhooks that came again under the same webhook-id, which is allowed. */
  redelivered: number;
  /** Answers that readers were given other than events, by code. */
  readerCodes: Record<string, number>;
  commands: { confirmed: number; done: number; lost: number; doubled: number };
  /** What robots saw that must not be, a few of them. */
  problems: string[];
}
