import type { ConsoleRobot } from '@perch/schema';
import { RobotScreen } from '../../drawing/screen.js';
import { useRef } from 'react';
import { Link } from 'react-router';
import { nameOf } from '../../api/robots.js';
import { listPace, usePictureOnScreen } from '../../api/screen-picture.js';
import { LinkButton } from '../../ui/controls/button.js';
import { Battery } from './battery.js';
import { sharedText } from '../share/shared-text.js';
import { RobotLabels } from './list/robot-labels.js';
import { RobotMenu } from './list/robot-menu.js';
import { useShownRobot } from './list/shown-robots.js';
import { looksOf, pictureIdOf } from './looks-of.js';
import { RobotStatus } from './robot-status.js';

export function RobotCard({ robot, onLabel }: { robot: ConsoleRobot; onLabel: (label: string) => void }) {
  const name = nameOf(robot);
  const what = [robot.virtual ? 'Virtual robot' : robot.model, robot.firmware].filter(Boolean).join(' · ');
  const to = encodeURIComponent(robot.id);
  return (
    <li className="robot-card card">
      <div className="robot-top">
        <ScreenOf robot={robot} />
        <div className="robot-title">
          <h2>
            <Link to={`/robots/${to}`}>{name}</Link>
          </h2>
          <span className="muted">{what || 'Unknown model'}</span>
          <span className="muted mono">{robot.id}</span>
        </div>
        <RobotMenu robot={robot} />
      </div>
      {robot.shared !== undefined && <p className="muted robot-shared">{sharedText(robot.shared)}</p>}
      <RobotLabels robot={robot} onLabel={onLabel} />
      <div className="robot-facts">
        <RobotStatus robot={robot} />
        {robot.online && robot.battery_pct !== null && <Battery percent={robot.battery_pct} />}
        {robot.virtual && !robot.online && robot.shared === undefined && (
          <LinkButton small to={`/virtual/${to}`}>
            Start here
          </LinkButton>
        )}
      </div>
    </li>
  );
}

function ScreenOf({ robot }: { robot: ConsoleRobot }) {
  const host = useRef<HTMLDivElement>(null);
  const { now, wasSeen } = useShownRobot(robot, host);
  // A list may have hundreds of robots: a picture is read only once the user has seen its card.
  const picture = usePictureOnScreen(robot.id, wasSeen ? pictureIdOf(robot, now) : null, listPace) ?? null;
  return (
    <div ref={host} className={robot.online ? 'robot-face' : 'robot-face robot-face-away'} aria-hidden="true">
      <RobotScreen looks={looksOf(robot, now, picture)} />
    </div>
  );
}
