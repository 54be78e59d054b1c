/** Links in e-mails: asking for them, and redeeming them. */
import type { ConsoleSession, FindResetBody, RecoveryAnswer, RequestResetBody, ResetPasswordBody, VerifyEmailBody } from '@perch/schema';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCaller } from '../api.js';
import type { CallError } from '../call-error.js';
import { sessionKey, useSessionStart } from '../session.js';

export function useRequestReset() {
  const caller = useCaller();
  return useMutation<unknown, CallError, RequestResetBody>({ mutationFn: (body) => caller.post('/console/password-resets', body) });
}

/** Returns why the link of an e-mail no longer works; null: it does, or that is not known. */
export function useUsedResetLink(token: string): CallError | null {
  const caller = useCaller();
  const { error } = useQuery<unknown, CallError>({
    queryKey: ['password-reset', token],
    queryFn: ({ signal }) => caller.post('/console/password-resets/find', { token } satisfies FindResetBody, { signal }),
    staleTime: Infinity,
    gcTime: 0,
  });
  return error?.code === 'wrong_credentials' ? error : null;
}

export function useResetPassword() {
  return useSessionStart<ResetPasswordBody, RecoveryAnswer>((caller, body) => caller.call('PUT', '/console/password-resets', { body }));
}

export function useSendVerification() {
  const caller = useCaller();
  return useMutation<unknown, CallError>({ mutationFn: () => caller.post('/console/verifications') });
}

/** In a browser that is not signed in to the account of the link. */
export function useVerifyWithPassword() {
  return useSessionStart<Required<VerifyEmailBody>, RecoveryAnswer>((caller, body) => caller.call('PUT', '/console/verifications', { body }));
}

export function useVerifyEmail() {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<unknown, CallError, VerifyEmailBody>({
    mutationFn: (body) => caller.call('PUT', '/console/verifications', { body }),
    // The account of this browser may be the one whose address is verified now.
    onSuccess: async () => client.setQueryData<ConsoleSession>(sessionKey, await caller.session()),
  });
}
