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

/** null: nothing is chosen yet. */
export type RobotsChosen = '*' | string[] | null;

export function RobotChoice({ value, onChange }: { value: RobotsChosen; onChange: (value: '*' | string[]) => void }) {
  const robots = useRobots().data?.robots ?? [];
  const [search, setSearch] = useState('');
  const listed = useListedRobots({ search });
  // Selected robots stay visible, whatever the search.
  const selected = value === '*' ? null : value;
  const shown = new Map([
    ...(selected ?? []).map((id) => [id, robots.find((robot) => robot.id === id) ?? { id, name: '' }] as const),
    ...listed.robots.map((robot) => [robot.id, robot] as const),
  ]);
  return (
    <div className="stack">
      <Segments
        label="Robots"
        options={scopes}
        value={value === '*' ? 'all' : value === null ? null : 'some'}
        onChange={(scope) => onChange(scope === 'all' ? '*' : value === '*' && robots.length === 1 ? [robots[0]!.id] : [])}
        hint={value === '*' ? 'Includes robots that you add later.' : undefined}
      />
      {selected !== null && robots.length === 0 && <p className="field-hint">You have no robots yet. Add one first, or choose all robots.</p>}
      {selected !== null && robots.length >= searchedFrom && <RobotSearch value={search} onChange={setSearch} />}
      {selected !== null && robots.length > 0 && (
        <Choices
          label="Selected robots"
          name="robots"
          problem={selected.length === 0 ? 'Choose at least one robot.' : null}
          value={selected}
          onChange={onChange}
          options={[...shown.values()].map((robot) => ({ id: robot.id, label: nameOf(robot), note: robot.id }))}
        />
      )}
      {selected !== null && robots.length > 0 && <MoreRobots listed={listed} />}
    </div>
  );
}
