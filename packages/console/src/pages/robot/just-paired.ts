/** A robot that was paired a moment ago still has to connect: its page waits for it instead of warning that it is offline. */
import { useLocation } from 'react-router';
import { useNow } from '../../ui/time/use-now.js';

/** State of the history entry that the pairing dialog leads to. */
export interface RobotPageState {
  /** Ms since 1970. */
  pairedAt?: number;
}

/** Time for which a paired robot counts as coming online, ms. */
const expectedMs = 60_000;

export function useIsJustPaired(): boolean {
  const { state } = useLocation();
  const now = useNow(5000);
  const { pairedAt } = (state as RobotPageState | null) ?? {};
  return pairedAt !== undefined && now - pairedAt < expectedMs;
}
