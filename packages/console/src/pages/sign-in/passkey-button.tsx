import type { ConsoleSession } from '@perch/schema';
import { messageOf } from '../../api/call-error.js';
import { offersPasskeys, usePasskeySignIn } from '../../api/passkeys.js';
import { Button } from '../../ui/controls/button.js';
import { Notice } from '../../ui/notice.js';

/** The browser shows the passkeys that it has for this host, so that no address is typed. */
export function PasskeyButton({ session }: { session: ConsoleSession }) {
  const signIn = usePasskeySignIn();
  if (!offersPasskeys(session)) return null;
  return (
    <>
      <Button icon="key" className="button-wide" isPending={signIn.isPending} onPress={() => signIn.mutate()}>
        Sign in with a passkey
      </Button>
      {signIn.error && <Notice tone="bad">{messageOf(signIn.error)}</Notice>}
    </>
  );
}
