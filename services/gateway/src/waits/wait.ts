/** A wait of the gateway: the plan that an action makes of it, the open wait that a call follows, and how it ends. */
import type { Logger } from '@perch/runtime';
import {
  ApiError,
  choicesFit,
  type DetachedWait,
  type Feature,
  type PictureNotes,
  type Target,
  type WaitChoice,
  type WaitKind,
  type WaitOutcome,
  type WaitRecord,
} from '@perch/schema';
import { armWithinMs, type Store, type StoredWait } from '@perch/store';
import type { Call } from '../calls/call.js';
import { ClientGone, isDraining, OtherAnswered, robotFailure } from '../calls/failures.js';
import type { KeyValidity } from '../calls/key-validity.js';
import type { OpenCalls } from '../calls/open-calls.js';
import { shownMediaMs } from '../calls/service-time.js';
import type { SentOptions } from '../media/media-maker.js';
import { withCutQuestion, type PagedPicture } from '../media/paged-text.js';
import type { Replies } from '../robots/replies.js';
import type { CachedRobot, RobotDirectory } from '../robots/robot-directory.js';
import type { WaitWatch } from './wait-watch.js';

/** What opens, follows, reads and ends waits. */
export interface WaitServices {
  readonly store: Store;
  readonly directory: RobotDirectory;
  readonly replies: Replies;
  readonly openCalls: OpenCalls;
  readonly keyValidity: KeyValidity;
  readonly log: Logger;
}

/** From when on the wait outlives its call, which then answers `pending`; not before the person can answer. */
export interface Detaching {
  /** `open`: once it is on the screen. `later`: at the time that the call says. `given_up`: if its client gives up. The wait can be read before. */
  from: 'open' | 'later' | 'given_up';
  choices: readonly WaitChoice[];
  /** Kept of a question of the queue since it entered. */
  kept?: DetachedWait;
}

export interface WaitPlan {
  kind: WaitKind;
  needs: readonly Feature[];
  targets: Target[];
  /** The longest that it waits; its pages may make it shorter. */
  timeoutMs: number;
  /** Draws what the wait shows; called again if the picture expired before it was sent. Null: the wait shows nothing. */
  picture: ((robot: CachedRobot, options: SentOptions) => Promise<PagedPicture>) | null;
  /** The call may draw it before it takes its number: it contains no picture of the caller, which is read only for a robot that is there. */
  mayPrerender?: true;
  /** Called once it is known to be on the screen. @param at since when, Redis ms */
  onShown?: (at: number) => void;
  /** Tapping one of the targets allows something that the person must have read. */
  approval?: boolean;
  /** The texts of the picture. */
  says?: string;
  /** Names of the targets. */
  names?: readonly string[];
  /** Index of the target that allows nothing. */
  deny?: number | undefined;
  /** Absent: the wait ends with its call. */
  detach?: Detaching;
  /** Of a question of the queue, taken with its turn. Absent: the call takes the number. */
  number?: number;
}

/** @param args validated; with `detach`, its choices fit */
export function detachingOf(
  { pending, arrivedAt }: Pick<Call, 'pending' | 'arrivedAt'>,
  { timeout_s: timeoutS, detach }: { timeout_s: number; detach?: boolean },
  choices: readonly WaitChoice[],
): { detach?: Detaching } {
  if (detach === true) return { detach: { from: 'open', choices } };
  if (pending === null || !choicesFit(choices)) return {};
  // Drawing and showing it takes a few seconds more.
  return { detach: { from: arrivedAt + timeoutS * 1000 <= pending.at ? 'given_up' : 'later', choices } };
}

/** The robot-link ends a wait at its deadline; a gateway does so only if the robot-link is late by this, ms. */
export const settleGraceMs = 250;
/** Of a question that outlives its call, gateways keep the picture for longer (`DetachedWaitSweep`), ms. */
const keptMsMax = 240_000;

/** Returns the render options of a wait: the picture is kept as long as the robot may need it again. That of a clickmap stays on the screen. */
export function renderOptionsOf(plan: WaitPlan, signal: AbortSignal, { span, time }: Pick<Call, 'span' | 'time'>): SentOptions {
  const ttlMs = armWithinMs + Math.min(plan.timeoutMs, keptMsMax);
  return { ttlMs: plan.kind === 'clickmap' ? Math.max(ttlMs, shownMediaMs) : ttlMs, signal, span, time };
}

/** Returns the texts of a question as one, for people who do not see its picture. */
export function saidBy(question: string, kind: 'Answers' | 'Tiles', choices: readonly string[]): string {
  return `${question === '' ? '' : `${question} `}${kind}: ${choices.join(', ')}.`;
}

/** The wait that a call opened, or resumes, and follows. */
export interface OpenWait {
  readonly call: Call;
  readonly plan: WaitPlan;
  readonly record: WaitRecord;
  /** Aborts when the call is cancelled, its key stops working or this instance drains. */
  readonly signal: AbortSignal;
  readonly watch: WaitWatch;
  /** Stored beside the record once the wait outlives its call; null: it does not. */
  readonly kept: DetachedWait | null;
  /** Redis ms from which the picture has been on the screen; null: it is not armed, as far as is known. */
  armedAt: number | null;
  over: boolean;
}

/** How a wait ended for its call. `pending`: the wait outlives its call; `wait` is its id. */
export type WaitEnd = (WaitOutcome | { outcome: 'pending'; wait: string }) & { robotAway: boolean };
/** `tapMs`: from the picture on the screen to the tap. `notes`: on what the wait showed; undefined if it showed nothing. */
export type WaitResult = WaitEnd & {
  outcome: 'answered' | 'timed_out' | 'replaced' | 'pending';
  notes?: PictureNotes;
  tapMs?: number;
  queued?: true;
  place?: number;
};

/** Returns null while the wait is open, and if it is not known. */
export function endOf(wait: StoredWait | null): WaitEnd | null {
  return wait === null || wait.outcome === null ? null : { ...wait.outcome, robotAway: wait.robotAway };
}

/** @throws {ApiError} the failure of the wait; outcome_unknown if it was cancelled */
export function resultOf(end: WaitEnd, notes: PictureNotes | undefined): WaitResult {
  if (end.outcome === 'failed') throw robotFailure(end.code, end.error);
  if (end.outcome === 'cancelled') throw new ApiError('outcome_unknown', 'The wait was cancelled.');
  return notes === undefined ? end : { ...end, notes };
}

/**
 * Returns the end of a wait whose call was aborted: a tap in the same moment still counts, unless no client may read the answer.
 * @param end null: not known @throws the reason of the abort
 */
export function endOfAborted(end: WaitEnd | null, reason: unknown, { effects }: Pick<Call, 'effects'>): WaitEnd {
  const readable = isDraining(reason) || reason instanceof OtherAnswered || (effects !== null && reason instanceof ClientGone);
  if (end === null || end.outcome === 'cancelled' || !readable) throw reason;
  return end;
}

/** Returns the notes on the picture, with what the person did not see of it as it was sent. */
export function notesOf({ picture, pages }: WaitRecord, end: WaitEnd): PictureNotes | undefined {
  return pages !== undefined && 'pagesUnseen' in end ? withCutQuestion(picture?.notes) : picture?.notes;
}

export function lateOutcome(state: StoredWait): WaitOutcome {
  if (state.armed !== null) return { outcome: 'timed_out' };
  return { outcome: 'failed', code: 'no_ack', error: 'The robot did not show it in time and will not show it later. Try again.' };
}

export function lostWait(): ApiError {
  return new ApiError('outcome_unknown', 'The wait was lost before it ended.');
}
