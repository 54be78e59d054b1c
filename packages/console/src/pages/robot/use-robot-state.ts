/** Loads the robot's own commands, which are not in the live stream. */
import type { RobotState } from '@perch/schema';
import { useQuery } from '@tanstack/react-query';
import { useCaller } from '../../api/api.js';
import type { CallError } from '../../api/call-error.js';

/** Refetched when a parameter changes: a robot reports its commands when it connects. @param isListed a removed robot answers 404 */
export function useRobotState(id: string, online: boolean, isListed: boolean) {
  const caller = useCaller();
  return useQuery<Pick<RobotState, 'commands'>, CallError>({
    queryKey: ['robot-state', id, online, isListed],
    queryFn: ({ signal }) => caller.get(`/console/v1/robots/${encodeURIComponent(id)}`, { signal }),
    placeholderData: (before) => before,
    retry: (failures, { status }) => failures < 3 && (status === 0 || status >= 500),
    staleTime: 60_000,
  });
}
