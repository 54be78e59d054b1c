/** Who is signed in: asked once, kept in the query cache, changed by signing in, up and out. */
import type { ConsoleSession, PasswordBody, SignedIn, SignInBody, SignUpBody } from '@perch/schema';
import { useMutation, useQuery, useQueryClient, type QueryClient, type UseMutationResult } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { useCaller } from './api.js';
import { CallError } from './call-error.js';
import { claimRobotTokens, forgetRobotTokens } from './robot-tokens.js';

const sessionKey = ['session'];

/** Undefined until it is known. @param everyMs asked again so often, where another tab may change it; left out: once */
export function useSessionQuery(everyMs?: number) {
  const caller = useCaller();
  return useQuery<ConsoleSession, CallError>({
    queryKey: sessionKey,
    queryFn: async ({ signal }) => {
      const session = await caller.session(signal);
      if (session.signed_in) claimRobotTokens(session.account.id);
      return session;
    },
    staleTime: Infinity,
    refetchInterval: everyMs ?? false,
  });
}

const SignedInContext = createContext<SignedIn | null>(null);
export const SignedInProvider = SignedInContext.Provider;

/** The session of a page that is shown to who is signed in. */
export function useSignedIn(): SignedIn {
  const session = useContext(SignedInContext);
  if (session === null) throw new Error('a page of nobody');
  return session;
}

function useEntering<B extends object>(path: string): UseMutationResult<SignedIn, CallError, B> {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body) => caller.post<SignedIn>(path, body),
    onSuccess: async (session) => {
      // What is asked for just now may still say that nobody is here.
      await client.cancelQueries({ queryKey: sessionKey });
      const before = client.getQueryData<ConsoleSession>(sessionKey);
      // What was kept is another account's, unless the same person came back.
      if (!(before?.signed_in === true && before.account.id === session.account.id)) forgetAllBut(client);
      claimRobotTokens(session.account.id);
      caller.use(session);
      client.setQueryData<ConsoleSession>(sessionKey, session);
    },
  });
}

/** By password, or by a link that works once. */
export function useSignIn() {
  return useEntering<SignInBody>('/console/session');
}

export function useSignUp() {
  return useEntering<SignUpBody>('/console/accounts');
}

const signingOut = ['sign-out'];

/** While it is under way the session's end is no news. */
export function isSigningOut(client: QueryClient): boolean {
  return client.isMutating({ mutationKey: signingOut }) > 0;
}

export function useSignOut() {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<unknown, CallError>({
    mutationKey: signingOut,
    mutationFn: () =>
      caller.call('DELETE', '/console/session').catch((error: unknown) => {
        // It had ended before.
        if (!(error instanceof CallError && error.code === 'signed_out')) throw error;
      }),
    onSuccess: async () => {
      forgetRobotTokens();
      const session = await caller.session();
      forgetAllBut(client);
      client.setQueryData<ConsoleSession>(sessionKey, session);
    },
  });
}

export function useSetPassword() {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation<unknown, CallError, PasswordBody>({
    mutationFn: (body) => caller.call('PUT', '/console/password', { body }),
    onSuccess: async () => client.setQueryData<ConsoleSession>(sessionKey, await caller.session()),
  });
}

/** What was read from the service, but for the session. */
export function forgetAllBut(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
}
