/**
 * Behind the link of an e-mail. A button redeems it, so that programs which open links in e-mails do not. In a browser that is not signed in to the
 * account, the service asks first who made it: another person may have signed up with this address.
 */
import type { ConsoleSession } from '@perch/schema';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { messageOf } from '../../api/call-error.js';
import { useVerifyEmail, useVerifyWithPassword } from '../../api/account/email.js';
import { Button } from '../../ui/controls/button.js';
import { Form } from '../../ui/controls/form.js';
import { NewPassword } from '../../ui/controls/new-password.js';
import { Notice } from '../../ui/notice.js';
import type { AccessState } from '../access/access-page.js';
import { AuthLayout } from '../sign-in/auth-layout.js';

export default function VerifyEmailPage({ session, token }: { session: ConsoleSession; token: string | undefined }) {
  const verify = useVerifyEmail();
  const navigate = useNavigate();
  const isElsewhere = verify.error?.code === 'conflict';
  const redeem = (of: string): void =>
    verify.mutate(
      { token: of },
      { onSuccess: () => session.signed_in && void navigate('/access', { replace: true, state: { verified: true } satisfies AccessState }) },
    );
  return (
    <AuthLayout title="Verify your e-mail address">
      {verify.isSuccess ? (
        <Notice tone="good">Your e-mail address is verified.</Notice>
      ) : token === undefined ? (
        <Notice tone="info">Open the link of the e-mail again: this page was opened without it.</Notice>
      ) : isElsewhere ? (
        <Elsewhere token={token} />
      ) : (
        <>
          <p>Confirm that this e-mail address is yours.</p>
          {verify.error && <Notice tone="bad">{messageOf(verify.error)}</Notice>}
          <Button look="primary" className="button-wide" isPending={verify.isPending} onPress={() => redeem(token)}>
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

const fields = ['password'];

function Elsewhere({ token }: { token: string }) {
  const verify = useVerifyWithPassword();
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  return (
    <>
      <Notice tone="info">This browser is not signed in to the account. Did you make it?</Notice>
      <p>
        <strong>Yes:</strong> sign in here, and open the link of the <span className="unbroken">e-mail</span> again. Everything that you made stays.
      </p>
      <p>
        <strong>No, or you cannot sign in:</strong> set a password. The account is then yours alone. Everything that was made in it ends: sessions,
        passkeys, API keys, clients, webhooks and sharing.
      </p>
      <Form
        error={verify.error}
        fields={fields}
        onSubmit={() =>
          verify.mutate(
            { token, password },
            { onSuccess: ({ recovered }) => void navigate('/access', { replace: true, state: { recovered } satisfies AccessState }) },
          )
        }
        actions={
          <Button type="submit" look="primary" className="button-wide" isPending={verify.isPending}>
            Set password and end everything else
          </Button>
        }
      >
        <NewPassword label="New password" value={password} onChange={setPassword} />
      </Form>
    </>
  );
}
