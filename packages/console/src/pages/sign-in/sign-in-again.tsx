/** Dialog over a page whose session ended: signing in, here or in another tab, continues where the user was. */
import type { ConsoleSession, SignedIn } from '@perch/schema';
import { offersPasskeys } from '../../api/passkeys.js';
import { useSessionQuery } from '../../api/session.js';
import { Button } from '../../ui/controls/button.js';
import { Dialog } from '../../ui/dialog/dialog.js';
import { OidcButton } from './oidc-button.js';
import { PasskeyButton } from './passkey-button.js';
import { SignInForm } from './sign-in-form.js';

/** Interval to detect a sign-in in another tab. */
const intervalMs = 2000;

interface SignInAgainProps {
  session: ConsoleSession;
  account: SignedIn['account'];
  onLeave: () => void;
}

export function SignInAgain({ session, account, onLeave }: SignInAgainProps) {
  useSessionQuery(session.signed_in ? undefined : intervalMs);
  return (
    <Dialog title="Sign in again" isOpen={!session.signed_in} onClose={onLeave} stays>
      <div className="stack">
        <p className="muted">Your session has ended. Sign in to continue; your input is kept.</p>
        {account.has_password ? <SignInForm session={session} email={account.email} /> : <WithoutPassword session={session} account={account} />}
        <Button look="quiet" onPress={onLeave}>
          Leave this page
        </Button>
      </div>
    </Dialog>
  );
}

function WithoutPassword({ session, account: { email, has_passkey: hasPasskey } }: Pick<SignInAgainProps, 'session' | 'account'>) {
  const byPasskey = hasPasskey && offersPasskeys(session);
  return (
    <>
      {byPasskey && <PasskeyButton session={session} />}
      <OidcButton session={session} newTab />
      <p>
        {session.oidc === null && !byPasskey ? `${email} has no password. Ask` : 'Or ask'} the operator of this service for a sign-in link, and open
        it in another tab. This page then continues automatically.
      </p>
    </>
  );
}
