import type { ConsoleSession } from '@perch/schema';
import { useState } from 'react';
import { Link } from 'react-router';
import { useSignUp } from '../../api/session.js';
import { forgetInvitation } from '../../arrival.js';
import { Button } from '../../ui/controls/button.js';
import { Field } from '../../ui/controls/field.js';
import { Form } from '../../ui/controls/form.js';
import { NewPassword } from '../../ui/controls/new-password.js';
import { Notice } from '../../ui/notice.js';
import { useEntranceState } from '../sign-in/entrance-state.js';
import { Entrance } from '../sign-in/entrance.js';
import { OidcButton } from '../sign-in/oidc-button.js';

/** @param invitation as the link brought it */
export default function SignUpPage({ session, invitation }: { session: ConsoleSession; invitation: string | undefined }) {
  const state = useEntranceState();
  const [email, setEmail] = useState(state.email ?? '');
  const allowed = session.sign_up === 'open' || (session.sign_up === 'invitation' && invitation !== undefined);
  return (
    <Entrance title="Make an account">
      {allowed ? (
        <SignUpForm session={session} invitation={session.sign_up === 'invitation' ? invitation : undefined} email={email} onEmail={setEmail} />
      ) : (
        <Closed session={session} />
      )}
      <p className="entrance-other">
        Have one?{' '}
        <Link to="/sign-in" state={{ ...state, email }}>
          Sign in
        </Link>
      </p>
    </Entrance>
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
            Make account
          </Button>
        }
      >
        <Field label="E-mail" name="email" type="email" autoComplete="username" value={email} onChange={onEmail} isRequired autoFocus />
        <NewPassword value={password} onChange={setPassword} />
      </Form>
      {invitation === undefined && session.oidc !== null && (
        <>
          <p className="entrance-or">or</p>
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
        ? 'Accounts are made by invitation here. Ask who runs this service for one, and open the link it comes with.'
        : 'No accounts can be made here. Ask who runs this service for one.'}
    </Notice>
  );
}
