import { choicesFit, type DetachedWait, type Feature, type Target, type WaitChoice, type WaitKind } from '@perch/schema';
import { armWithinMs } from '@perch/store';
import type { Call } from '../calls/call.js';
import { shownMediaMs } from '../calls/service-time.js';
import type { SentOptions } from '../media/media-maker.js';
import type { PagedPicture } from '../media/paged-text.js';
import type { KnownRobot } from '../robots/robot-directory.js';

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
  picture: ((robot: KnownRobot, options: SentOptions) => Promise<PagedPicture>) | null;
  /** The call may draw it before it takes its number: it contains no picture of the caller, which is read only for a robot that is there. */
  mayDrawEarly?: true;
  /** Called once it is known to be on the screen. @param at since when, Redis ms */
  shown?: (at: number) => void;
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

/** Of a question that outlives its call, gateways keep the picture for longer (`detached-ends.ts`), ms. */
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
