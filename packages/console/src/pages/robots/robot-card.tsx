import type { ConsoleRobot } from '@perch/schema';
import { useState } from 'react';
import { Link } from 'react-router';
import { nameOf } from '../../api/robots.js';
import { Ago } from '../../ui/time/ago.js';
import { IconButton, LinkButton } from '../../ui/controls/button.js';
import { Menu } from '../../ui/controls/menu.js';
import { Battery } from './battery.js';
import { RemoveRobot } from './remove-robot.js';
import { RenameRobot } from './rename-robot.js';

export function RobotCard({ robot }: { robot: ConsoleRobot }) {
  const [open, setOpen] = useState<'rename' | 'remove' | null>(null);
  const close = () => setOpen(null);
  const name = nameOf(robot);
  const what = [robot.virtual ? 'Virtual robot' : robot.model, robot.firmware].filter(Boolean).join(' · ');
  const to = encodeURIComponent(robot.id);
  return (
    <li className="robot-card card">
      <div className="robot-top">
        <Face awake={robot.online} />
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
          entries={[
            { id: 'rename', label: 'Rename', icon: 'edit', onAction: () => setOpen('rename') },
            { id: 'remove', label: 'Remove', icon: 'trash', danger: true, onAction: () => setOpen('remove') },
          ]}
        />
      </div>
      <div className="robot-facts">
        <State robot={robot} />
        {robot.online && robot.battery_pct !== null && <Battery percent={robot.battery_pct} />}
        {robot.virtual && !robot.online && (
          <LinkButton small to={`/virtual/${to}`}>
            Start here
          </LinkButton>
        )}
      </div>
      <RenameRobot robot={robot} isOpen={open === 'rename'} onClose={close} />
      <RemoveRobot robot={robot} isOpen={open === 'remove'} onClose={close} />
    </li>
  );
}

function State({ robot: { online, virtual, last_seen } }: { robot: ConsoleRobot }) {
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

/** A robot's face, with closed eyes while it is offline. */
function Face({ awake }: { awake: boolean }) {
  return (
    <svg className={awake ? 'robot-face' : 'robot-face robot-face-away'} width="64" height="48" viewBox="0 0 64 48" aria-hidden="true">
      {awake ? (
        <g stroke="none">
          <circle cx="20" cy="20" r="4.4" />
          <circle cx="44" cy="20" r="4.4" />
        </g>
      ) : (
        <g fill="none" strokeWidth="3" strokeLinecap="round">
          <path d="M15.5 20q4.5 3.5 9 0M39.5 20q4.5 3.5 9 0" fill="none" />
        </g>
      )}
      <g strokeWidth="2.6" strokeLinecap="round">
        <path d={awake ? 'M27 34q5 3.5 10 0' : 'M29 34h6'} fill="none" />
      </g>
    </svg>
  );
}
