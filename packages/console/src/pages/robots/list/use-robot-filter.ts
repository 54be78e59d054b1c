/** Filter of the robots page, kept in its address too, so that a filtered list can be bookmarked and reloaded. */
import { useCallback, useState } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import type { RobotFilter } from '../../../api/listed-robots.js';

export const noFilter: RobotFilter = { search: '', online: null, label: null };

export function isFiltered({ search, online, label }: RobotFilter): boolean {
  return search !== '' || online !== null || label !== null;
}

/** State of the history entries that this hook writes. The router renders them late, when a person may have typed more. */
const own = { isOwnFilter: true };

/** Returns the filter, and a function that changes parts of it without a new history entry. */
export function useRobotFilter(): [RobotFilter, (change: Partial<RobotFilter>) => void] {
  const [query, setQuery] = useSearchParams();
  const { key, state } = useLocation() as { key: string; state: Partial<typeof own> | null };
  const [filter, setFilter] = useState(() => filterOf(query));
  const [followed, setFollowed] = useState(key);
  if (key !== followed) {
    setFollowed(key);
    if (state?.isOwnFilter !== true) setFilter(filterOf(query));
  }
  const change = useCallback(
    (parts: Partial<RobotFilter>) => {
      const next = { ...filter, ...parts };
      setFilter(next);
      setQuery(withFilter(query, next), { replace: true, state: own });
    },
    [filter, query, setQuery],
  );
  return [filter, change];
}

function filterOf(query: URLSearchParams): RobotFilter {
  const online = query.get('online');
  return { search: query.get('search') ?? '', online: online === 'true' ? true : online === 'false' ? false : null, label: query.get('label') };
}

function withFilter(query: URLSearchParams, filter: RobotFilter): URLSearchParams {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(filter)) {
    if (value === null || value === '') next.delete(name);
    else next.set(name, String(value));
  }
  return next;
}
