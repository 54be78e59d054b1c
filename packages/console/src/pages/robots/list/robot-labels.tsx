import type { ConsoleRobot } from '@perch/schema';
import { nameOf } from '../../../api/robots.js';

interface RobotLabelsProps {
  robot: ConsoleRobot;
  onLabel: (label: string) => void;
}

/** The labels of a robot, each of which filters the list. */
export function RobotLabels({ robot, onLabel }: RobotLabelsProps) {
  const labels = labelsOf(robot);
  if (labels.length === 0) return null;
  return (
    <ul className="robot-labels" aria-label={`Labels of ${nameOf(robot)}`}>
      {labels.map((label) => (
        <li key={label}>
          <button type="button" className="robot-label" title="Show only robots with this label" onClick={() => onLabel(label)}>
            {label}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** @returns each `key=value`, ascending by key */
export function labelsOf({ labels = {} }: ConsoleRobot): string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}
