import { withSpan, type Reaction } from '@perch/screen/own-screen';
import type { RobotEvent } from '@perch/schema';
import { startTransition, useEffect, useRef, useState } from 'react';
import { liveMs } from '../../drawing/live/scene.js';

const kinds: Record<string, Reaction['kind']> = { pat: 'petted', pet: 'petted', stroke: 'petted', shaken: 'shaken', picked_up: 'lifted' };
/** How long the drawn robot reacts to a touch, ms. The event arrives when the touch has already ended. */
const pettedMs = 900;

/** Returns the reactions of the drawn robot to events of the real one. Events from before the page was opened are ignored. */
export function useReactions(events: readonly RobotEvent[]): readonly Reaction[] {
  const [reactions, setReactions] = useState<readonly Reaction[]>([]);
  const seen = useRef<number | null>(null);
  const latest = events.at(-1);
  useEffect(() => {
    const before = seen.current;
    seen.current = latest?.seq ?? before;
    if (latest === undefined || before === null || latest.seq <= before) return;
    const kind = kinds[latest.name];
    if (kind === undefined) return;
    const at = liveMs();
    startTransition(() => setReactions((recent) => withSpan(recent, { kind, at, until: kind === 'petted' ? at + pettedMs : at })));
  }, [latest]);
  return reactions;
}
