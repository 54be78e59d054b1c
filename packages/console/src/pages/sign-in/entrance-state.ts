/** What goes along between the pages to come in by: where the person was on the way to, and the address they typed already. */
import { useLocation } from 'react-router';

interface EntranceState {
  /** An own path, with its query. */
  from?: string;
  email?: string;
}

export function useEntranceState(): EntranceState {
  const { state } = useLocation();
  return (state as EntranceState | null) ?? {};
}
