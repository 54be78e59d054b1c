/** What the service made of what hands did: the robot's last events. */
import type { RobotEvent } from '@perch/schema';

const shown = 8;

export function Happened({ events }: { events: readonly RobotEvent[] }) {
  return (
    <section className="virtual-happened card" aria-labelledby="happened-title">
      <h2 id="happened-title">What programs hear</h2>
      {events.length === 0 ? (
        <p className="muted">Nothing yet. Touch the robot, and the event it becomes comes up here.</p>
      ) : (
        <ol aria-label="Events, newest first">
          {events
            .slice(-shown)
            .toReversed()
            .map((event) => (
              <li key={event.seq}>
                <Told event={event} />
              </li>
            ))}
        </ol>
      )}
    </section>
  );
}

/** The last one, in sight of the hands. */
export function Latest({ event }: { event: RobotEvent | undefined }) {
  return (
    <p className="virtual-latest" role="status">
      {event && (
        <>
          Programs hear <Told key={event.seq} event={event} />
        </>
      )}
    </p>
  );
}

function Told({ event: { name, data } }: { event: RobotEvent }) {
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
