/**
 * Pages of who is signed in. When the session ends under an open page, the page stays with what was typed, and a dialog asks to sign in again;
 * who comes without a session is led to the sign-in page and back.
 */
import type { ConsoleSession, SignedIn } from '@perch/schema';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { useCaller } from './api/api.js';
import { LiveProvider } from './api/live.js';
import { isSigningOut, SignedInProvider, useSessionQuery } from './api/session.js';
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
  // Somebody is here again; until then the one that ended counts as signed in for a moment.
  if (session.signed_in && ended !== null && session.csrf !== ended.csrf) setEnded(null);

  const shown = session.signed_in ? session : ended;
  if (shown === null) {
    const from = location.pathname + location.search;
    return <Navigate to="/sign-in" replace state={from === '/' ? null : { from }} />;
  }
  return (
    // Another account gets other pages: nothing of the one before is left in them.
    <SignedInProvider value={shown} key={shown.account.id}>
      <LiveProvider session={shown} onSignedOut={onSignedOut}>
        <Outlet />
        <SignInAgain session={session} account={shown.account} onLeave={() => setEnded(null)} />
      </LiveProvider>
    </SignedInProvider>
  );
}
