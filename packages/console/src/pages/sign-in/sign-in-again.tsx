/** Over a page whose session ended: sign in again, here or in another tab, and go on where it was. */
import type { ConsoleSession, SignedIn } from '@perch/schema';
import { useSessionQuery } from '../../api/session.js';
import { Button } from '../../ui/controls/button.js';
import { Dialog } from '../../ui/dialog/dialog.js';
import { OidcButton } from './oidc-button.js';
import { SignInForm } from './sign-in-form.js';

/** How soon it is noticed that the person signed in in another tab. */
const everyMs = 2000;

interface SignInAgainProps {
  session: ConsoleSession;
  /** Who was signed in. */
  account: SignedIn['account'];
  /** The person does not go on: what is on the page goes. */
  onLeave: () => void;
}

export function SignInAgain({ session, account: { email, has_password }, onLeave }: SignInAgainProps) {
  useSessionQuery(session.signed_in ? undefined : everyMs);
  return (
    <Dialog title="Sign in again" isOpen={!session.signed_in} onClose={onLeave} stays>
      <div className="stack">
        <p className="muted">Your session has ended. Sign in and go on: what you typed is still there.</p>
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
        {session.oidc === null ? `${email} has no password. Ask` : 'Or ask'} who runs this service for a link that signs you in, and open it in
        another tab: this page then goes on by itself.
      </p>
    </>
  );
}
