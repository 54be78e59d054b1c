import type { ConsoleSession } from '@perch/schema';
import { useState } from 'react';
import { Link } from 'react-router';
import { useSignUp } from '../../api/session.js';
import { forgetInvitation } from '../../url-fragment.js';
import { Button } from '../../ui/controls/button.js';
import { Field } from '../../ui/controls/field.js';
import { Form } from '../../ui/controls/form.js';
import { NewPassword } from '../../ui/controls/new-password.js';
import { Notice } from '../../ui/notice.js';
import { useAuthLocationState } from '../sign-in/auth-location-state.js';
import { AuthLayout } from '../sign-in/auth-layout.js';
import { OidcButton } from '../sign-in/oidc-button.js';

export default function SignUpPage({ session, invitation }: { session: ConsoleSession; invitation: string | undefined }) {
  const state = useAuthLocationState();
  const [email, setEmail] = useState(state.email ?? '');
  const allowed = session.sign_up === 'open' || (session.sign_up === 'invitation' && invitation !== undefined);
  return (
    <AuthLayout title="Create an account">
      {allowed ? (
        <SignUpForm session={session} invitation={session.sign_up === 'invitation' ? invitation : undefined} email={email} onEmail={setEmail} />
      ) : (
        <Closed session={session} />
      )}
      <p className="auth-layout-other">
        Already have an account?{' '}
        <Link to="/sign-in" state={{ ...state, email }}>
          Sign in
        </Link>
      </p>
    </AuthLayout>
  );
}

const fields = ['email', 'password'];

interface SignUpFormProps {
  session: ConsoleSession;
  invitation: string | undefined;
  email: string;
  onEmail: (email: string) => void;
}

function SignUpForm({ session, invitation, email, onEmail }: SignUpFormProps) {
  const signUp = useSignUp();
  const [password, setPassword] = useState('');
  return (
    <>
      {invitation !== undefined && <Notice tone="info">You are invited. The invitation works once.</Notice>}
      <Form
        error={signUp.error}
        fields={fields}
        onSubmit={() =>
          signUp.mutate({ email: email.trim(), password, ...(invitation === undefined ? {} : { invitation }) }, { onSuccess: forgetInvitation })
        }
        actions={
          <Button type="submit" look="primary" className="button-wide" isPending={signUp.isPending}>
            Create account
          </Button>
        }
      >
        <Field label="E-mail" name="email" type="email" autoComplete="username" value={email} onChange={onEmail} isRequired autoFocus />
        <NewPassword value={password} onChange={setPassword} />
      </Form>
      {invitation === undefined && session.oidc !== null && (
        <>
          <p className="auth-layout-or">or</p>
          <OidcButton session={session} />
        </>
      )}
    </>
  );
}

function Closed({ session }: { session: ConsoleSession }) {
  return (
    <Notice tone="info">
      {session.sign_up === 'invitation'
        ? 'Sign-up requires an invitation. Ask the operator of this service for one, and open its link.'
        : 'Sign-up is closed. Ask the operator of this service for an account.'}
    </Notice>
  );
}
