import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'react-router';

/** Returns a query parameter of the page's address, and a function that sets it in place, without a new history entry. */
export function useAddressParameter(name: string): [value: string | null, set: (value: string) => void] {
  const [query, setQuery] = useSearchParams();
  const { state } = useLocation();
  const set = useCallback(
    (value: string): void => {
      // Not `query`: the router renders a change late.
      const next = new URLSearchParams(location.search);
      next.set(name, value);
      setQuery(next, { replace: true, state });
    },
    [name, setQuery, state],
  );
  return [query.get(name), set];
}
