/** The events of a robot that the page has seen: newest first, each once, bounded. */
import type { RobotEvent } from '@perch/schema';

export const eventsMax = 200;

/** @returns the same list where all are known already */
export function withEvents(log: readonly RobotEvent[], more: readonly RobotEvent[]): readonly RobotEvent[] {
  const known = new Set(log.map(({ seq }) => seq));
  const fresh = more.filter(({ seq }) => !known.has(seq));
  if (fresh.length === 0) return log;
  return [...log, ...fresh].sort((a, b) => b.seq - a.seq).slice(0, eventsMax);
}

/** What an event's data say, in a line: `x 160, y 120`. */
export function tellData(data: Readonly<Record<string, unknown>>): string {
  return Object.entries(data)
    .map(([name, value]) => `${name} ${typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value)}`)
    .join(', ');
}
