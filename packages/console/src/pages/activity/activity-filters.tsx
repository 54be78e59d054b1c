import { useKeys } from '../../api/keys.js';
import { nameOf, useRobots } from '../../api/robots.js';
import type { ActivityFilter } from '../../api/activity.js';
import { Select } from '../../ui/controls/select.js';
import { actionLabels, changeLabels, labelOfAction, labelOfOutcome, outcomeFilters } from './activity-words.js';

interface Option {
  id: string;
  label: string;
}

const kinds: readonly Option[] = [
  { id: '', label: 'Everything' },
  { id: 'calls', label: 'Calls' },
  { id: 'changes', label: 'Account changes' },
];

export function ActivityFilters({ filter, onFilter }: { filter: ActivityFilter; onFilter: (change: Partial<ActivityFilter>) => void }) {
  const { robot, key, action, outcome, kind } = filter;
  const robots = (useRobots().data?.robots ?? []).map((each) => ({ id: each.id, label: nameOf(each) }));
  const keys = (useKeys().data?.keys ?? []).map(({ id, name }) => ({ id, label: name || 'Unnamed key' }));
  const actions = Object.entries({
    ...(kind === 'changes' ? {} : actionLabels),
    ...(kind === 'calls' ? {} : changeLabels),
  }).map(([id, label]) => ({ id, label }));
  return (
    <div className="activity-filters" role="search" aria-label="Activity">
      <Select label="Show" value={kind} onChange={(id) => onFilter({ kind: id })} options={kinds} />
      <Select label="Robot" value={robot} onChange={(id) => onFilter({ robot: id })} options={options('All robots', robots, robot)} />
      <Select
        label="Key"
        value={key}
        onChange={(id) => onFilter({ key: id })}
        options={options('All keys', [{ id: 'page', label: 'Web page' }, ...keys], key)}
      />
      <Select
        label="Action"
        value={action}
        onChange={(id) => onFilter({ action: id })}
        options={options('All actions', actions, action, labelOfAction)}
      />
      <Select
        label="Outcome"
        value={outcome}
        onChange={(id) => onFilter({ outcome: id })}
        options={options('All outcomes', outcomeFilters, outcome, (id) => labelOfOutcome({ outcome: id, count: 1 }).label)}
      />
    </div>
  );
}

/** Offers the chosen value too if it is not in the list, as a revoked key of a bookmark. */
function options(all: string, list: readonly Option[], chosen: string, labelOf = (id: string): string => id): Option[] {
  const known = chosen === '' || list.some(({ id }) => id === chosen);
  return [{ id: '', label: all }, ...list, ...(known ? [] : [{ id: chosen, label: labelOf(chosen) }])];
}
