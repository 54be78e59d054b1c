import type { ConsoleSession } from '@perch/schema';
import { useState } from 'react';
import { Link } from 'react-router';
import { Notice } from '../../ui/notice.js';
import { useEntranceState } from './entrance-state.js';
import { Entrance } from './entrance.js';
import { SignInForm } from './sign-in-form.js';

/** @param problem why a link, or another service, did not sign in */
export default function SignInPage({ session, problem }: { session: ConsoleSession; problem: string | undefined }) {
  const state = useEntranceState();
  const [email, setEmail] = useState(state.email ?? '');
  const [shown] = useState(problem);
  return (
    <Entrance title="Sign in">
      {shown !== undefined && <Notice tone="bad">{shown}</Notice>}
      <SignInForm session={session} email={email} onEmail={setEmail} />
      {session.sign_up === 'open' && (
        <p className="entrance-other">
          New here?{' '}
          <Link to="/sign-up" state={{ ...state, email }}>
            Make an account
          </Link>
        </p>
      )}
      {session.sign_up === 'invitation' && <p className="entrance-other">New here? You need an invitation: open the link you were sent.</p>}
    </Entrance>
  );
}
