import type { ConsoleSession } from '@perch/schema';
import { Link } from 'react-router';
import { LinkButton } from '../../ui/controls/button.js';
import { AuthLayout } from '../sign-in/auth-layout.js';

export default function AccountDeletedPage({ session }: { session: ConsoleSession }) {
  return (
    <AuthLayout title="Account deleted">
      <p>You are signed out everywhere. The keys and webhooks of the account have stopped, and its robots are disconnected.</p>
      <p className="muted">
        The rest of its data is deleted within a few minutes. Then its <span className="unbroken">e-mail</span> address can be used again.
      </p>
      <div>
        <LinkButton to="/sign-in">Sign in</LinkButton>
      </div>
      {session.sign_up === 'open' && (
        <p className="auth-layout-other">
          <Link to="/sign-up">Create an account</Link>
        </p>
      )}
    </AuthLayout>
  );
}
