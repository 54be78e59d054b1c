/** Asks for an e-mail with a link. What it says afterwards does not depend on whether the address has an account. */
import type { ConsoleSession } from '@perch/schema';
import { useState } from 'react';
import { Link } from 'react-router';
import { useRequestReset } from '../../api/account/email.js';
import { Button } from '../../ui/controls/button.js';
import { Field } from '../../ui/controls/field.js';
import { Form } from '../../ui/controls/form.js';
import { Notice } from '../../ui/notice.js';
import { AuthLayout } from '../sign-in/auth-layout.js';
import { useAuthLocationState } from '../sign-in/auth-location-state.js';
import { NoMail } from '../sign-in/no-mail.js';

const fields = ['email'];

export default function ForgotPasswordPage({ session }: { session: ConsoleSession }) {
  const state = useAuthLocationState();
  const request = useRequestReset();
  const [email, setEmail] = useState(state.email ?? '');
  const [sentTo, setSentTo] = useState<string | null>(null);
  return (
    <AuthLayout title="Forgot your password?">
      {!session.mail ? (
        <Notice tone="info">
          <NoMail />
        </Notice>
      ) : sentTo === null ? (
        <Form
          error={request.error}
          fields={fields}
          onSubmit={() => request.mutate({ email: email.trim() }, { onSuccess: () => setSentTo(email.trim()) })}
          actions={
            <Button type="submit" look="primary" className="button-wide" isPending={request.isPending}>
              Send e-mail
            </Button>
          }
        >
          <p>
            You get an <span className="unbroken">e-mail</span> with a link that lets you set a new password.
          </p>
          <Field label="E-mail" name="email" type="email" autoComplete="username" value={email} onChange={setEmail} isRequired autoFocus />
        </Form>
      ) : (
        <>
          <Notice tone="good">
            If there is an account with the address {sentTo}, an <span className="unbroken">e-mail</span> with a link is on its way. The link works
            for an hour.
          </Notice>
          <p className="auth-layout-other">No e-mail after a few minutes? Look in the spam folder, and check the address.</p>
          <Button className="button-wide" onPress={() => setSentTo(null)}>
            Use another address
          </Button>
        </>
      )}
      <p className="auth-layout-other">
        <Link to="/sign-in" state={{ ...state, email }}>
          Back to sign-in
        </Link>
      </p>
    </AuthLayout>
  );
}
