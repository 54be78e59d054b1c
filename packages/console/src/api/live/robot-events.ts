/** Oldest first, each once, up to `eventsKept`. */
import type { RobotEvent } from '@perch/schema';

export const eventsKept = 200;

export interface RobotEvents {
  events: readonly RobotEvent[];
  /** Events before number `seq` are missing: `dropped` by the service, or else lost by Redis. */
  gap: { seq: number; dropped: boolean } | null;
}

export const noEvents: RobotEvents = { events: [], gap: null };

export function withEvent(before: RobotEvents, event: RobotEvent): RobotEvents {
  const last = before.events.at(-1);
  if (last !== undefined && event.seq <= last.seq) return before;
  return { ...before, events: [...before.events, event].slice(-eventsKept) };
}

export function withGap(before: RobotEvents, { oldest, dropped }: { oldest: number; dropped: boolean }): RobotEvents {
  return { ...before, gap: { seq: oldest, dropped } };
}
