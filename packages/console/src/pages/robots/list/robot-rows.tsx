/** Robots as rows of a list: of 200 robots, 12 fit a desktop. A row draws no screen, so that many cost little. */
import type { ConsoleRobot } from '@perch/schema';
import { memo, useMemo } from 'react';
import { Link } from 'react-router';
import { nameOf } from '../../../api/robots.js';
import { lazily } from '../../../ui/formats/lazily.js';
import { Battery } from '../battery.js';
import { RobotStatus } from '../robot-status.js';
import { RobotLabels } from './robot-labels.js';
import { RobotMenu } from './robot-menu.js';
import './robot-rows.css';

interface RobotRowsProps {
  robots: readonly ConsoleRobot[];
  /** All robots are there: only then they can be sorted by name. */
  isWhole: boolean;
  onLabel: (label: string) => void;
}

const byName = lazily(() => new Intl.Collator(undefined, { numeric: true }));

export function RobotRows({ robots, isWhole, onLabel }: RobotRowsProps) {
  const sorted = useMemo(() => (isWhole ? robots.toSorted((a, b) => byName().compare(nameOf(a), nameOf(b))) : robots), [robots, isWhole]);
  return (
    <ul className="robot-rows card">
      {sorted.map((robot) => (
        <RobotRow key={robot.id} robot={robot} onLabel={onLabel} />
      ))}
    </ul>
  );
}

const RobotRow = memo(function RobotRow({ robot, onLabel }: { robot: ConsoleRobot; onLabel: (label: string) => void }) {
  const { id, online, virtual, model, firmware, battery_pct: battery } = robot;
  const device = [virtual ? 'Virtual robot' : model, firmware].filter(Boolean).join(' · ');
  return (
    <li className="robot-row">
      <span className="robot-row-name">
        <Link to={`/robots/${encodeURIComponent(id)}`}>{nameOf(robot)}</Link>
        <span className="muted">
          <code>{id}</code> {device}
        </span>
      </span>
      <span className="robot-row-state">
        <RobotStatus robot={robot} />
        {online && battery !== null && <Battery percent={battery} />}
      </span>
      <RobotLabels robot={robot} onLabel={onLabel} />
      <RobotMenu robot={robot} />
    </li>
  );
});
