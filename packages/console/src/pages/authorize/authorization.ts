import type { AuthorizationAnswer, ConsentAnswer, ConsentBody } from '@perch/schema';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useCaller } from '../../api/api.js';
import type { CallError } from '../../api/call-error.js';

/** @param query of the page's address, as the client made it */
export function useAuthorization(query: string) {
  const caller = useCaller();
  return useQuery<AuthorizationAnswer, CallError>({
    queryKey: ['authorization', query],
    queryFn: ({ signal }) => caller.post('/console/authorizations/find', { query }, { signal }),
    staleTime: Infinity,
    gcTime: 0,
  });
}

/** The answer, which contains a code, is not cached. */
export function useAllowClient() {
  const caller = useCaller();
  return useMutation<ConsentAnswer, CallError, ConsentBody>({
    gcTime: 0,
    mutationFn: (body) => caller.post('/console/authorizations', body),
  });
}
