import type { Feature, Target, WaitKind } from '@perch/schema';
import { armWithinMs } from '@perch/store';
import type { Call } from '../calls/call.js';
import { shownMediaMs } from '../calls/deadlines.js';
import type { SentOptions } from '../media/media-maker.js';
import type { PagedPicture } from '../media/paged-text.js';
import type { KnownRobot } from '../robots/robot-directory.js';

export interface WaitPlan {
  kind: WaitKind;
  needs: readonly Feature[];
  targets: Target[];
  timeoutMs: number;
  /** Draws what the wait shows; called again if the picture expired before it was sent. Null: the wait shows nothing. */
  picture: ((robot: KnownRobot, options: SentOptions) => Promise<PagedPicture>) | null;
  /** Called once it is known to be on the screen. @param at since when, Redis ms */
  shown?: (at: number) => void;
}

/** Returns the render options of a wait: the picture is kept as long as the robot may need it again. That of a clickmap stays on the screen. */
export function renderOptionsOf(plan: WaitPlan, signal: AbortSignal, { span, time }: Pick<Call, 'span' | 'time'>): SentOptions {
  const ttlMs = armWithinMs + plan.timeoutMs;
  return { ttlMs: plan.kind === 'clickmap' ? Math.max(ttlMs, shownMediaMs) : ttlMs, signal, span, time };
}
