import type { ConsoleRobot } from '@perch/schema';
import { useLiveStatus } from '../../api/live/live.js';
import { Ago } from '../../ui/time/ago.js';

export function RobotStatus({ robot: { online, virtual, last_seen } }: { robot: ConsoleRobot }) {
  const isLost = ['lost', 'crowded_out'].includes(useLiveStatus());
  if (isLost && online) {
    return (
      <span className="robot-state muted">
        <span className="robot-dot" />
        Last known: online
      </span>
    );
  }
  if (online) {
    return (
      <span className="robot-state robot-online">
        <span className="robot-dot" />
        Online
      </span>
    );
  }
  return (
    <span className="robot-state muted">
      <span className="robot-dot" />
      {last_seen === null ? (
        virtual ? (
          'Not started'
        ) : (
          'Never connected'
        )
      ) : (
        <span>
          {virtual ? 'Not running' : 'Offline'}, last seen <Ago at={last_seen} />
        </span>
      )}
    </span>
  );
}
