/** All of the account's robots, those it gets later included, or some. */
import { nameOf, useRobots } from '../api/robots.js';
import { Choices, Segments } from './choices.js';

const scopes = [
  { id: 'all', label: 'All robots' },
  { id: 'some', label: 'Only some' },
] as const;

export function RobotChoice({ value, onChange }: { value: '*' | string[]; onChange: (value: '*' | string[]) => void }) {
  const robots = useRobots().data?.robots ?? [];
  return (
    <div className="stack">
      <Segments
        label="Robots"
        options={scopes}
        value={value === '*' ? 'all' : 'some'}
        onChange={(scope) => onChange(scope === 'all' ? '*' : robots.length === 1 ? [robots[0]!.id] : [])}
        hint={value === '*' ? 'Those you add later as well.' : undefined}
      />
      {value !== '*' && robots.length === 0 && <p className="field-hint">You have no robots yet. Add one first, or choose all.</p>}
      {value !== '*' && robots.length > 0 && (
        <Choices
          label="Which"
          name="robots"
          problem={value.length === 0 ? 'Choose at least one robot.' : null}
          value={value}
          onChange={onChange}
          options={robots.map((robot) => ({ id: robot.id, label: nameOf(robot), note: robot.id }))}
        />
      )}
    </div>
  );
}
