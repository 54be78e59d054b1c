import type { ConsoleRobot } from '@perch/schema';
import { RobotScreen } from '../../drawing/screen.js';
import { useRef, useState } from 'react';
import { Link } from 'react-router';
import { nameOf } from '../../api/robots.js';
import { listPace, usePictureOnScreen } from '../../api/screen-picture.js';
import { IconButton, LinkButton } from '../../ui/controls/button.js';
import { Menu } from '../../ui/controls/menu.js';
import { Battery } from './battery.js';
import { LeaveRobot } from './leave-robot.js';
import { RemoveRobot } from './remove-robot.js';
import { RenameRobot } from './rename-robot.js';
import { sharedText } from '../share/shared-text.js';
import { RobotLabels } from './list/robot-labels.js';
import { useShownRobot } from './list/shown-robots.js';
import { looksOf, pictureIdOf } from './looks-of.js';
import { RobotStatus } from './robot-status.js';

export function RobotCard({ robot, onLabel }: { robot: ConsoleRobot; onLabel: (label: string) => void }) {
  const [open, setOpen] = useState<'rename' | 'remove' | 'leave' | null>(null);
  const close = () => setOpen(null);
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
        <Menu
          label={`Actions for ${name}`}
          button={<IconButton icon="more" label={`Actions for ${name}`} />}
          entries={
            robot.shared === undefined
              ? [
                  { id: 'rename', label: 'Rename', icon: 'edit', onAction: () => setOpen('rename') },
                  { id: 'remove', label: 'Remove', icon: 'trash', danger: true, onAction: () => setOpen('remove') },
                ]
              : [{ id: 'leave', label: 'Leave', icon: 'out', danger: true, onAction: () => setOpen('leave') }]
          }
        />
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
      <RenameRobot robot={robot} isOpen={open === 'rename'} onClose={close} />
      <RemoveRobot robot={robot} isOpen={open === 'remove'} onClose={close} />
      <LeaveRobot robot={robot} isOpen={open === 'leave'} onClose={close} />
    </li>
  );
}

function ScreenOf({ robot }: { robot: ConsoleRobot }) {
  const host = useRef<HTMLDivElement>(null);
  const now = useShownRobot(robot, host);
  const picture = usePictureOnScreen(robot.id, pictureIdOf(robot, now), listPace) ?? null;
  return (
    <div ref={host} className={robot.online ? 'robot-face' : 'robot-face robot-face-away'} aria-hidden="true">
      <RobotScreen looks={looksOf(robot, now, picture)} />
    </div>
  );
}
