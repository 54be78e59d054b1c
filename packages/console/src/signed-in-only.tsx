/** Wraps pages that need a session: it redirects without one; if it ends while a page is open, the page stays and a dialog asks to sign in again. */
import type { ConsolePath, ConsoleSession, SignedIn } from '@perch/schema';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { matchPath, Navigate, Outlet, useLocation } from 'react-router';
import { useCaller } from './api/api.js';
import { LiveProvider } from './api/live/live.js';
import { isSigningOut, SignedInProvider, useSessionQuery } from './api/session.js';
import { KeepRobots } from './keep-robots.js';
import { SignInAgain } from './pages/sign-in/sign-in-again.js';

export function SignedInOnly({ session }: { session: ConsoleSession }) {
  const caller = useCaller();
  const client = useQueryClient();
  const location = useLocation();
  const { refetch } = useSessionQuery();
  const [ended, setEnded] = useState<SignedIn | null>(null);

  const onSignedOut = useCallback(() => {
    if (isSigningOut(client)) return;
    const now = client.getQueryData<ConsoleSession>(['session']);
    if (now?.signed_in === true) setEnded((before) => before ?? now);
    void refetch();
  }, [client, refetch]);
  useEffect(() => caller.onSignedOut(onSignedOut), [caller, onSignedOut]);
  // A new session has started; until then, the pages keep the session that ended.
  if (session.signed_in && ended !== null && session.csrf !== ended.csrf) setEnded(null);

  const shown = session.signed_in ? session : ended;
  if (shown === null) {
    const from = location.pathname + location.search;
    return <Navigate to="/sign-in" replace state={from === '/' ? null : { from }} />;
  }
  return (
    // The key remounts all pages for another account, so that no state is left of the previous one.
    <SignedInProvider value={shown} key={shown.account.id}>
      <LiveProvider
        session={shown}
        first={matchPath('/robots/:robot' satisfies ConsolePath, location.pathname)?.params.robot ?? null}
        onSignedOut={onSignedOut}
      >
        <KeepRobots>
          <Outlet />
        </KeepRobots>
        <SignInAgain session={session} account={shown.account} onLeave={() => setEnded(null)} />
      </LiveProvider>
    </SignedInProvider>
  );
}
