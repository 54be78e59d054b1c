import type { ConsoleSession } from '@perch/schema';
import { useState } from 'react';
import { Link } from 'react-router';
import { offersPasskeys } from '../../api/passkeys.js';
import { useSignIn } from '../../api/session.js';
import { Button } from '../../ui/controls/button.js';
import { Field } from '../../ui/controls/field.js';
import { Form } from '../../ui/controls/form.js';
import { useAuthLocationState } from './auth-location-state.js';
import { NoMail } from './no-mail.js';
import { OidcButton } from './oidc-button.js';
import { PasskeyButton } from './passkey-button.js';

const fields = ['email', 'password'];

interface SignInFormProps {
  session: ConsoleSession;
  email: string;
  /** If unset, the address is read-only and the provider opens in a new tab: the same account signs in again. */
  onEmail?: (email: string) => void;
}

export function SignInForm({ session, email, onEmail }: SignInFormProps) {
  const signIn = useSignIn();
  const [password, setPassword] = useState('');
  const state = useAuthLocationState();
  const again = onEmail === undefined;
  return (
    <>
      <Form
        error={signIn.error}
        fields={fields}
        onSubmit={() => signIn.mutate({ email: email.trim(), password })}
        actions={
          <Button type="submit" look="primary" className="button-wide" isPending={signIn.isPending}>
            Sign in
          </Button>
        }
      >
        <Field
          label="E-mail"
          name="email"
          type="email"
          autoComplete="username"
          value={email}
          {...(again ? { isReadOnly: true } : { onChange: onEmail })}
          isRequired
          autoFocus={!again}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
          isRequired
          autoFocus={again}
        />
      </Form>
      {(session.oidc !== null || offersPasskeys(session)) && (
        <>
          <p className="auth-layout-or">or</p>
          <PasskeyButton session={session} />
          <OidcButton session={session} newTab={again} />
        </>
      )}
      <p className="auth-layout-other">
        {!session.mail ? (
          <>
            Forgot your password? <NoMail />
          </>
        ) : again ? (
          <a href="/forgot-password" target="_blank" rel="noopener">
            Forgot your password? Set a new one in a new tab
          </a>
        ) : (
          <Link to="/forgot-password" state={{ ...state, email }}>
            Forgot your password?
          </Link>
        )}
      </p>
    </>
  );
}
