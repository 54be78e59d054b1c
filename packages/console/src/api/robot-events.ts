/** The watched robot's events as the stream told them, oldest first: each once, at most so many, and what was not kept. */
import type { RobotEvent } from '@perch/schema';

export const eventsKept = 200;

export interface RobotEvents {
  events: readonly RobotEvent[];
  /** Events before this number were not kept by the service, though the page had not seen them. */
  gapBefore: number | null;
}

export const noEvents: RobotEvents = { events: [], gapBefore: null };

export function withEvent(before: RobotEvents, event: RobotEvent): RobotEvents {
  const last = before.events.at(-1);
  if (last !== undefined && event.seq <= last.seq) return before;
  return { ...before, events: [...before.events, event].slice(-eventsKept) };
}

export function withGap(before: RobotEvents, oldest: number): RobotEvents {
  return { ...before, gapBefore: oldest };
}
