import type { ConsoleSession } from '@perch/schema';
import { useState } from 'react';
import { Link } from 'react-router';
import { Notice } from '../../ui/notice.js';
import { useAuthLocationState } from './auth-location-state.js';
import { AuthLayout } from './auth-layout.js';
import { SignInForm } from './sign-in-form.js';

export default function SignInPage({ session, problem }: { session: ConsoleSession; problem: string | undefined }) {
  const state = useAuthLocationState();
  const [email, setEmail] = useState(state.email ?? '');
  const [shown] = useState(problem);
  return (
    <AuthLayout title="Sign in">
      {shown !== undefined && <Notice tone="bad">{shown}</Notice>}
      <SignInForm session={session} email={email} onEmail={setEmail} />
      {session.sign_up === 'open' && (
        <p className="auth-layout-other">
          New here?{' '}
          <Link to="/sign-up" state={{ ...state, email }}>
            Create an account
          </Link>
        </p>
      )}
      {session.sign_up === 'invitation' && <p className="auth-layout-other">New here? You need an invitation: open the link that you received.</p>}
    </AuthLayout>
  );
}
