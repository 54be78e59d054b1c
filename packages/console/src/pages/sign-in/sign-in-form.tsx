/** E-mail and password, and the button of the other service where there is one. */
import type { ConsoleSession } from '@perch/schema';
import { useState } from 'react';
import { useSignIn } from '../../api/session.js';
import { Button } from '../../ui/button.js';
import { Field } from '../../ui/field.js';
import { Form } from '../../ui/form.js';
import { OidcButton } from './oidc-button.js';

const fields = ['email', 'password'];

/** @param email fixed, where the same person is to come back */
export function SignInForm({ session, email: given }: { session: ConsoleSession; email?: string }) {
  const signIn = useSignIn();
  const [email, setEmail] = useState(given ?? '');
  const [password, setPassword] = useState('');
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
          onChange={setEmail}
          isRequired
          isReadOnly={given !== undefined}
          autoFocus={given === undefined}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
          isRequired
          autoFocus={given !== undefined}
        />
      </Form>
      <OidcButton session={session} />
    </>
  );
}
