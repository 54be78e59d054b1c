/** Over a page whose session ended: sign in again, and go on where it was. */
import type { ConsoleSession } from '@perch/schema';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { SignInForm } from './sign-in-form.js';

/** @param onLeave the person does not go on: what is on the page goes */
export function SignInAgain({ session, email, onLeave }: { session: ConsoleSession; email: string; onLeave: () => void }) {
  return (
    <Dialog title="Sign in again" isOpen={!session.signed_in} onClose={onLeave} stays>
      <div className="stack">
        <p className="muted">Your session has ended. Sign in and go on: what you typed is still there.</p>
        <SignInForm session={session} email={email} />
        <Button look="quiet" onPress={onLeave}>
          Leave this page
        </Button>
      </div>
    </Dialog>
  );
}
