/** What the service made of what hands did: the robot's last events. */
import { useWatchedRobot } from '../../api/live.js';

const shown = 8;

export function Happened({ id }: { id: string }) {
  const { events } = useWatchedRobot(id);
  return (
    <section className="virtual-happened card" aria-labelledby="happened-title">
      <h2 id="happened-title">What programs hear</h2>
      {events.length === 0 ? (
        <p className="muted">Nothing yet. Touch the robot, and the event it becomes comes up here.</p>
      ) : (
        <ol role="log" aria-label="Events, newest first">
          {events
            .slice(-shown)
            .toReversed()
            .map(({ seq, name, data }) => (
              <li key={seq} data-event={name}>
                <strong>{name}</strong> <span className="mono">{inWords(data)}</span>
              </li>
            ))}
        </ol>
      )}
    </section>
  );
}

function inWords(data: Record<string, unknown>): string {
  return Object.entries(data)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
