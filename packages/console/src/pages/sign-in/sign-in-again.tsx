/** Dialog over a page whose session ended: signing in, here or in another tab, continues where the user was. */
import type { ConsoleSession, SignedIn } from '@perch/schema';
import { useSessionQuery } from '../../api/session.js';
import { Button } from '../../ui/controls/button.js';
import { Dialog } from '../../ui/dialog/dialog.js';
import { OidcButton } from './oidc-button.js';
import { SignInForm } from './sign-in-form.js';

/** Interval to detect a sign-in in another tab. */
const intervalMs = 2000;

interface SignInAgainProps {
  session: ConsoleSession;
  account: SignedIn['account'];
  onLeave: () => void;
}

export function SignInAgain({ session, account: { email, has_password }, onLeave }: SignInAgainProps) {
  useSessionQuery(session.signed_in ? undefined : intervalMs);
  return (
    <Dialog title="Sign in again" isOpen={!session.signed_in} onClose={onLeave} stays>
      <div className="stack">
        <p className="muted">Your session has ended. Sign in to continue; your input is kept.</p>
        {has_password ? <SignInForm session={session} email={email} /> : <WithoutPassword session={session} email={email} />}
        <Button look="quiet" onPress={onLeave}>
          Leave this page
        </Button>
      </div>
    </Dialog>
  );
}

function WithoutPassword({ session, email }: { session: ConsoleSession; email: string }) {
  return (
    <>
      <OidcButton session={session} newTab />
      <p>
        {session.oidc === null ? `${email} has no password. Ask` : 'Or ask'} the operator of this service for a sign-in link, and open it in another
        tab. This page then continues automatically.
      </p>
    </>
  );
}
