import type { ConsoleRobot } from '@perch/schema';
import { useMemo } from 'react';
import type { RobotFilter } from '../../../api/listed-robots.js';
import { Button } from '../../../ui/controls/button.js';
import { Segments } from '../../../ui/controls/choices.js';
import { RobotSearch } from '../../../ui/controls/robot-search.js';
import { Select } from '../../../ui/controls/select.js';
import { labelsOf } from './robot-labels.js';
import { isFiltered, noFilter } from './use-robot-filter.js';
import type { RobotsView } from './use-robots-view.js';

interface RobotToolsProps {
  /** Robots whose labels are offered. */
  robots: readonly ConsoleRobot[];
  filter: RobotFilter;
  onFilter: (change: Partial<RobotFilter>) => void;
  view: RobotsView;
  onView: (view: RobotsView) => void;
}

const statuses = [
  { id: 'any', label: 'Any status' },
  { id: 'true', label: 'Online' },
  { id: 'false', label: 'Offline' },
] as const;

const views = [
  { id: 'cards', label: 'Cards' },
  { id: 'list', label: 'List' },
] as const;

/** The choice that filters by no label: no label is empty. */
const anyLabel = '';

export function RobotTools({ robots, filter, onFilter, view, onView }: RobotToolsProps) {
  const { search, online, label } = filter;
  const labels = useMemo(() => offeredLabels(robots, label), [robots, label]);
  return (
    <div className="robots-tools" role="search" aria-label="Robots">
      <RobotSearch value={search} onChange={(text) => onFilter({ search: text })} />
      <Select
        label="Status"
        value={online === null ? 'any' : online ? 'true' : 'false'}
        onChange={(id) => onFilter({ online: id === 'any' ? null : id === 'true' })}
        options={statuses}
      />
      {labels.length > 0 && (
        <Select
          label="Label"
          value={label ?? anyLabel}
          onChange={(id) => onFilter({ label: id === anyLabel ? null : id })}
          options={[{ id: anyLabel, label: 'Any label' }, ...labels.map((id) => ({ id, label: id }))]}
        />
      )}
      <Segments label="View" options={views} value={view} onChange={onView} />
      {isFiltered(filter) && (
        <Button small className="robots-all" onPress={() => onFilter(noFilter)}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

/** @param chosen offered too, even if no listed robot has it */
function offeredLabels(robots: readonly ConsoleRobot[], chosen: string | null): string[] {
  const labels = new Set(robots.flatMap(labelsOf));
  if (chosen !== null) labels.add(chosen);
  return [...labels].toSorted(new Intl.Collator(undefined, { numeric: true }).compare);
}
