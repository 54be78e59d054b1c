import type { RobotEvent } from '@perch/schema';
import { memo } from 'react';

const shown = 8;

export const RecentEvents = memo(function RecentEvents({ events }: { events: readonly RobotEvent[] }) {
  return (
    <section className="virtual-happened card" aria-labelledby="happened-title">
      <h2 id="happened-title">Events sent to programs</h2>
      {events.length === 0 ? (
        <p className="muted">No events yet. Touch the robot to send one.</p>
      ) : (
        <ol aria-label="Events, newest first">
          {events
            .slice(-shown)
            .toReversed()
            .map((event) => (
              <li key={event.seq}>
                <EventText event={event} />
              </li>
            ))}
        </ol>
      )}
    </section>
  );
});

export function LatestEvent({ event }: { event: RobotEvent | undefined }) {
  return (
    <p className="virtual-latest" role="status">
      {event && (
        <>
          Sent to programs: <EventText key={event.seq} event={event} />
        </>
      )}
    </p>
  );
}

function EventText({ event: { name, data } }: { event: RobotEvent }) {
  return (
    <>
      <strong>{name}</strong> <span className="mono">{inWords(data)}</span>
    </>
  );
}

function inWords(data: Record<string, unknown>): string {
  return Object.entries(data)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
