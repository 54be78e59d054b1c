/** The session: loaded once, kept in the query cache, and replaced by signing in, up and out. */
import type { ConsolePath, ConsoleSession, PasswordBody, RemoveAccountBody, SignedIn, SignInBody, SignUpBody } from '@perch/schema';
import { queryOptions, useMutation, useQuery, useQueryClient, type QueryClient, type UseMutationResult } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { useCaller } from './api.js';
import { CallError } from './call-error.js';
import type { Caller } from './caller.js';
import { claimRobotTokens, forgetRobotTokens } from './robot-tokens.js';

export const sessionKey = ['session'];

/** Begins to load the session before anything is rendered. */
export function prefetchSession(client: QueryClient, caller: Caller): void {
  void client.prefetchQuery(sessionQuery(caller));
}

function sessionQuery(caller: Caller) {
  return queryOptions<ConsoleSession, CallError>({
    queryKey: sessionKey,
    queryFn: async ({ signal }) => {
      const session = await caller.session(signal);
      if (session.signed_in) claimRobotTokens(session.account.id);
      return session;
    },
    staleTime: Infinity,
  });
}

/** @param intervalMs polling interval, if another tab may change the session; default: no polling */
export function useSessionQuery(intervalMs?: number) {
  const caller = useCaller();
  return useQuery({ ...sessionQuery(caller), refetchInterval: intervalMs ?? false });
}

const SignedInContext = createContext<SignedIn | null>(null);
export const SignedInProvider = SignedInContext.Provider;

/** Returns the session; only for components below `SignedInProvider`. */
export function useSignedIn(): SignedIn {
  const session = useContext(SignedInContext);
  if (session === null) throw new Error('no SignedInProvider above');
  return session;
}

/** @param send signs in with the given body */
export function useSessionStart<B, S extends SignedIn = SignedIn>(send: (caller: Caller, body: B) => Promise<S>): UseMutationResult<S, CallError, B> {
  const caller = useCaller();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body) => send(caller, body),
    onSuccess: async (session) => {
      // A request in flight may return the state before the sign-in.
      await client.cancelQueries({ queryKey: sessionKey });
      const before = client.getQueryData<ConsoleSession>(sessionKey);
      // Cached data belongs to another account, unless the same account signed in again.
      if (!(before?.signed_in === true && before.account.id === session.account.id)) clearAccountData(client);
      claimRobotTokens(session.account.id);
      caller.use(session);
      client.setQueryData<ConsoleSession>(sessionKey, session);
    },
  });
}

export function useSignIn() {
  return useSessionStart<SignInBody>((caller, body) => caller.post('/console/session', body));
}

export function useSignUp() {
  return useSessionStart<SignUpBody>((caller, body) => caller.post('/console/accounts', body));
}

const signingOut = ['sign-out'];

/** Returns whether a sign-out is in flight: the end of the session is then expected. */
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
        // The session had ended already.
        if (!(error instanceof CallError && error.code === 'signed_out')) throw error;
      }),
    onSuccess: async () => {
      forgetRobotTokens();
      const session = await caller.session();
      clearAccountData(client);
      client.setQueryData<ConsoleSession>(sessionKey, session);
    },
  });
}

const deletedPath: ConsolePath = '/account/deleted';
/** The service answers once every robot, key and webhook of the account has been ended. */
const removalTimeoutMs = 120_000;

/** Deletes the account, and then loads the page that says so: nothing of the account stays in memory. */
export function useRemoveAccount() {
  const caller = useCaller();
  return useMutation<never, CallError, RemoveAccountBody>({
    mutationKey: signingOut,
    mutationFn: async (body) => {
      await caller.post('/console/account/removal', body, { timeoutMs: removalTimeoutMs });
      forgetRobotTokens();
      location.replace(deletedPath);
      // Pending until the browser leaves this page, so that the end of the session is expected until then.
      return new Promise<never>(() => {});
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

export function clearAccountData(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
}
