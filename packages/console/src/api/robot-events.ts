/** The watched robot's events as the stream told them, oldest first: each once, at most so many, and what was not kept. */
import type { RobotEvent } from '@perch/schema';

export const eventsKept = 200;

export interface RobotEvents {
  events: readonly RobotEvent[];
  /** Events before the number `seq` are missing, and the page has not seen them: `dropped` by the service, else lost by Redis. */
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
