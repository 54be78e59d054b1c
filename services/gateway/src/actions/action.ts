import type { ActionName, AnswerOf, ArgsOf } from '@perch/schema';
import type { Store } from '@perch/store';
import { type Call, noteQuestion } from '../calls/call.js';
import type { KeyValidity } from '../calls/key-validity.js';
import type { OpenCalls } from '../calls/open-calls.js';
import type { EventsFeed } from '../events/events-feed.js';
import type { MediaMaker } from '../media/media-maker.js';
import type { ScreenImages } from '../media/screen-reader.js';
import type { RobotCommands } from '../robots/robot-commands.js';
import type { RobotDirectory } from '../robots/robot-directory.js';
import type { RobotStates } from '../robots/robot-states.js';
import type { QueueCalls } from '../waits/queue-calls.js';
import type { Stops } from '../waits/stops.js';
import type { WaitCalls } from '../waits/wait-calls.js';
import type { WaitResult } from '../waits/wait.js';

/** Returns the answer without its `ok`. @throws {ApiError} in the order 503 (offline), 501, then pictures (400) */
export type Action<N extends ActionName> = (call: Call, args: ArgsOf<N>) => Promise<Omit<AnswerOf<N>, 'ok'>>;

export interface ActionServices {
  readonly clock: Pick<Store['clock'], 'now'>;
  readonly directory: RobotDirectory;
  readonly commands: Pick<RobotCommands, 'send'>;
  readonly states: RobotStates;
  readonly detachedWaits: Pick<Store['detachedWaits'], 'openOf'>;
  readonly media: Pick<MediaMaker, 'check' | 'draw' | 'drawSent' | 'play' | 'speak'>;
  readonly screenImages: ScreenImages;
  readonly ledMa: number;
  readonly waits: Pick<WaitCalls, 'run'>;
  readonly queue: Pick<QueueCalls, 'show' | 'ask' | 'cleared'>;
  readonly stops: Pick<Stops, 'endWaits' | 'unlessStopped'>;
  readonly feed: EventsFeed;
  readonly openCalls: OpenCalls;
  readonly keyValidity: KeyValidity;
}

export type PerformAction = <N extends ActionName>(name: N, call: Call, args: ArgsOf<N>) => Promise<AnswerOf<N>>;

interface WaitFields {
  outcome: WaitResult['outcome'];
  timed_out: boolean;
  replaced: boolean;
  robot_away: boolean;
  wait?: string;
  queued?: true;
  place?: number;
}

export function waitFields(result: WaitResult): WaitFields {
  const { outcome, robotAway, queued, place } = result;
  const wait = result.outcome === 'pending' ? { wait: result.wait } : {};
  return {
    outcome,
    timed_out: outcome === 'timed_out',
    replaced: outcome === 'replaced',
    robot_away: robotAway,
    ...wait,
    ...(queued && { queued }),
    ...(place && { place }),
  };
}

/** A question that outlives its call has no outcome yet: its event has it. */
export function noteOutcome(call: Pick<Call, 'notes'>, result: WaitResult, question: string | null, answer: string | null): void {
  if (result.outcome === 'pending') return;
  const at = result.outcome === 'answered' ? { x: result.x, y: result.y } : null;
  noteQuestion(call, { outcome: result.outcome, question, answer, at, tapMs: result.tapMs ?? null });
}

/** Rounded, because Redis takes integers and 0.07 * 1000 is not 70. */
export function timeoutMs(timeoutS: number): number {
  return Math.max(1, Math.round(timeoutS * 1000));
}
