/** Filter of the activity page, kept in its address, so that a filtered list can be bookmarked and reloaded. */
import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import type { ActivityFilter } from '../../api/activity.js';

const names = ['robot', 'key', 'action', 'outcome', 'kind'] as const;

export type ActivityPageView = 'log' | 'usage';

interface InAddress {
  filter: ActivityFilter;
  view: ActivityPageView;
  change: (change: Partial<ActivityFilter & { view: ActivityPageView }>) => void;
}

export function isFiltered(filter: ActivityFilter): boolean {
  return Object.values(filter).some((value) => value !== '');
}

export function useActivityFilter(): InAddress {
  const [query, setQuery] = useSearchParams();
  const filter = useMemo(() => Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) as unknown as ActivityFilter, [query]);
  const change: InAddress['change'] = (parts) => {
    // The router renders a change late, when a person may have chosen another filter.
    const next = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(parts)) {
      if (value === '' || value === 'log') next.delete(name);
      else next.set(name, value);
    }
    setQuery(next, { replace: true });
  };
  return { filter, view: query.get('view') === 'usage' ? 'usage' : 'log', change };
}
