/** Behind the link of an e-mail. A button redeems it, so that programs which open links in e-mails do not. */
import type { ConsoleSession } from '@perch/schema';
import { Link } from 'react-router';
import { messageOf } from '../../api/call-error.js';
import { useVerifyEmail } from '../../api/account/email.js';
import { Button } from '../../ui/controls/button.js';
import { Notice } from '../../ui/notice.js';
import { AuthLayout } from '../sign-in/auth-layout.js';

export default function VerifyEmailPage({ session, token }: { session: ConsoleSession; token: string | undefined }) {
  const verify = useVerifyEmail();
  return (
    <AuthLayout title="Verify your e-mail address">
      {verify.isSuccess ? (
        <Notice tone="good">Your e-mail address is verified.</Notice>
      ) : token === undefined ? (
        <Notice tone="info">Open the link of the e-mail again: this page was opened without it.</Notice>
      ) : (
        <>
          <p>Confirm that this e-mail address is yours.</p>
          {verify.error && <Notice tone="bad">{messageOf(verify.error)}</Notice>}
          <Button look="primary" className="button-wide" isPending={verify.isPending} onPress={() => verify.mutate({ token })}>
            Verify address
          </Button>
        </>
      )}
      <p className="auth-layout-other">
        <Link to={session.signed_in ? '/account' : '/sign-in'}>{session.signed_in ? 'Go to your account' : 'Sign in'}</Link>
      </p>
    </AuthLayout>
  );
}
