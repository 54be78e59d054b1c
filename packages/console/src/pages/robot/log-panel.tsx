/** Boot reason and log of the robot, fetched only while the panel is open. */
import { memo, useState } from 'react';
import { useRobotLog } from '../../api/robots.js';
import { Notice } from '../../ui/notice.js';
import { timeOfDay } from './time-of-day.js';

const causes: Record<string, string> = {
  power_on: 'power on',
  reset: 'reset',
  watchdog: 'watchdog',
  crash: 'crash',
  brownout: 'low voltage',
  update: 'update',
  wake: 'wake from sleep',
  other: 'another cause',
};

/** Only the robot knows: TLS often ends at a proxy in front of the service. */
export function EncryptionNotice({ id }: { id: string }) {
  const log = useRobotLog(id, false, true);
  if (log.data?.unencrypted !== true) return null;
  return (
    <Notice tone="info">
      The connection of this robot is not encrypted: everyone in its network can read what it shows, and take it over. Start Perch with npm start --
      --lan and install the robot again on its cable, with the address in wss:// that it prints. Paired once more, it stays this robot.
    </Notice>
  );
}

export const LogPanel = memo(function LogPanel({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  const log = useRobotLog(id, isOpen);
  const { boot = null, lines = [] } = log.data ?? {};
  return (
    <details className="card robot-log" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Robot log</summary>
      {boot !== null && (
        <p className="muted">
          Last start: {causes[boot.cause]}
          {boot.error !== null && <>, {boot.error}</>}
        </p>
      )}
      {log.data !== undefined && lines.length === 0 && <p className="muted">The robot has sent no log lines in the last 7 days.</p>}
      {lines.length > 0 && (
        <ol className="robot-log-lines mono">
          {lines.map(({ at, level, text }, i) => (
            <li key={`${at} ${i}`} className={level === 'error' || level === 'warn' ? 'robot-log-grave' : undefined}>
              <time dateTime={at}>{timeOfDay(Date.parse(at))}</time> {level} {text}
            </li>
          ))}
        </ol>
      )}
    </details>
  );
});
