import type { EndSessionsAnswer, SessionsAnswer } from '@perch/schema';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCaller } from './api.js';
import type { CallError } from './call-error.js';

const sessionsKey = ['sessions'];

export function useSessions() {
  const caller = useCaller();
  return useQuery<SessionsAnswer, CallError>({
    queryKey: sessionsKey,
    queryFn: ({ signal }) => caller.get('/console/sessions', { signal }),
  });
}

/** Ends the session with this id, or with null all but the one of this browser. */
export function useEndSessions() {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<EndSessionsAnswer, CallError, string | null>({
    mutationFn: (id) => caller.call('DELETE', id === null ? '/console/sessions' : `/console/sessions/${encodeURIComponent(id)}`),
    // Also after a failure: another browser may have ended it.
    onSettled: () => client.invalidateQueries({ queryKey: sessionsKey }),
  });
}
