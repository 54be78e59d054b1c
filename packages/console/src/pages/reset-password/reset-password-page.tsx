/** Behind the link of an e-mail: sets a new password, and signs in to the account of the link. */
import type { ConsoleSession } from '@perch/schema';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { useResetPassword, useUsedResetLink } from '../../api/account/email.js';
import { Button } from '../../ui/controls/button.js';
import { Form } from '../../ui/controls/form.js';
import { NewPassword } from '../../ui/controls/new-password.js';
import { Notice } from '../../ui/notice.js';
import type { AccessState } from '../access/access-page.js';
import { AuthLayout } from '../sign-in/auth-layout.js';

const fields = ['password'];

export default function ResetPasswordPage({ session, token }: { session: ConsoleSession; token: string | undefined }) {
  return (
    <AuthLayout title="Set a new password">
      {token === undefined ? (
        <Notice tone="info">Open the link of the e-mail again: this page was opened without it.</Notice>
      ) : (
        <NewPasswordForm session={session} token={token} />
      )}
      <p className="auth-layout-other">
        <Link to="/forgot-password">Ask for a new e-mail</Link>
      </p>
    </AuthLayout>
  );
}

function NewPasswordForm({ session, token }: { session: ConsoleSession; token: string }) {
  const used = useUsedResetLink(token);
  const reset = useResetPassword();
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  if (used !== null) return <Notice tone="bad">{used.message}</Notice>;
  return (
    <>
      {session.signed_in && (
        <Notice tone="info">
          You are signed in as {session.account.email}. Setting the password signs you out, and signs you in to the account of the link.
        </Notice>
      )}
      <Form
        error={reset.error}
        fields={fields}
        onSubmit={() =>
          reset.mutate(
            { token, password },
            { onSuccess: ({ recovered }) => void navigate('/access', { replace: true, state: { recovered } satisfies AccessState }) },
          )
        }
        actions={
          <Button type="submit" look="primary" className="button-wide" isPending={reset.isPending}>
            Set password and sign in
          </Button>
        }
      >
        <p>
          All browsers are signed out and connected clients are disconnected. If your address was never verified, everything that was made in the
          account ends, too, but for its robots.
        </p>
        <NewPassword label="New password" value={password} onChange={setPassword} />
      </Form>
    </>
  );
}
