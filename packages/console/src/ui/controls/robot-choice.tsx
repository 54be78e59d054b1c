/** Choice between all robots of the account, including later ones, or selected ones. */
import { useState } from 'react';
import { useListedRobots } from '../../api/listed-robots.js';
import { nameOf, useRobots } from '../../api/robots.js';
import { Choices, Segments } from './choices.js';
import { MoreRobots, RobotSearch, searchedFrom } from './robot-search.js';

const scopes = [
  { id: 'all', label: 'All robots' },
  { id: 'some', label: 'Selected robots' },
] as const;

export function RobotChoice({ value, onChange }: { value: '*' | string[]; onChange: (value: '*' | string[]) => void }) {
  const robots = useRobots().data?.robots ?? [];
  const [search, setSearch] = useState('');
  const listed = useListedRobots({ search });
  // Selected robots stay visible, whatever the search.
  const shown = new Map([
    ...(value === '*' ? [] : value).map((id) => [id, robots.find((robot) => robot.id === id) ?? { id, name: '' }] as const),
    ...listed.robots.map((robot) => [robot.id, robot] as const),
  ]);
  return (
    <div className="stack">
      <Segments
        label="Robots"
        options={scopes}
        value={value === '*' ? 'all' : 'some'}
        onChange={(scope) => onChange(scope === 'all' ? '*' : robots.length === 1 ? [robots[0]!.id] : [])}
        hint={value === '*' ? 'Includes robots that you add later.' : undefined}
      />
      {value !== '*' && robots.length === 0 && <p className="field-hint">You have no robots yet. Add one first, or choose all robots.</p>}
      {value !== '*' && robots.length >= searchedFrom && <RobotSearch value={search} onChange={setSearch} />}
      {value !== '*' && robots.length > 0 && (
        <Choices
          label="Selected robots"
          name="robots"
          problem={value.length === 0 ? 'Choose at least one robot.' : null}
          value={value}
          onChange={onChange}
          options={[...shown.values()].map((robot) => ({ id: robot.id, label: nameOf(robot), note: robot.id }))}
        />
      )}
      {value !== '*' && robots.length > 0 && <MoreRobots listed={listed} />}
    </div>
  );
}
