import type { ConsolePath, ConsoleSession } from '@perch/schema';
import { lazy, Suspense, type ReactNode } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { Navigate, Route, Routes } from 'react-router';
import { useSessionQuery } from './api/session.js';
import { SignInLink } from './sign-in-link.js';
import type { UrlFragment } from './url-fragment.js';
import { NotFoundPage, SignedOutNotFound } from './pages/not-found.js';
import { useAuthLocationState } from './pages/sign-in/auth-location-state.js';
import { problemSentence } from './pages/sign-in/problem-sentence.js';
import RobotsPage from './pages/robots/robots-page.js';
import SignInPage from './pages/sign-in/sign-in-page.js';
import { SignedInOnly } from './signed-in-only.js';
import { ErrorBoundary } from './ui/shell/error-boundary.js';
import { Failed } from './ui/shell/page.js';
import { Shell } from './ui/shell/shell.js';
import { Waiting } from './waiting.js';

const ForgotPasswordPage = lazy(() => import('./pages/forgot-password/forgot-password-page.js'));
const ResetPasswordPage = lazy(() => import('./pages/reset-password/reset-password-page.js'));
const VerifyEmailPage = lazy(() => import('./pages/verify-email/verify-email-page.js'));
const SignUpPage = lazy(() => import('./pages/sign-up/sign-up-page.js'));
const RobotPage = lazy(() => import('./pages/robot/robot-page.js'));
const RobotSettingsPage = lazy(() => import('./pages/robot/settings/robot-settings-page.js'));
const VirtualPage = lazy(() => import('./pages/virtual/virtual-page.js'));
const KeysPage = lazy(() => import('./pages/keys/keys-page.js'));
const AuthorizePage = lazy(() => import('./pages/authorize/authorize-page.js'));
const WebhooksPage = lazy(() => import('./pages/webhooks/webhooks-page.js'));
const ActivityPage = lazy(() => import('./pages/activity/activity-page.js'));
const SharePage = lazy(() => import('./pages/share/share-page.js'));
const AccountPage = lazy(() => import('./pages/account/account-page.js'));
const AccountDeletedPage = lazy(() => import('./pages/account/account-deleted-page.js'));

export function App({ fragment }: { fragment: UrlFragment }) {
  const { link, error } = fragment;
  const session = useSessionQuery();

  if (session.error && session.data === undefined) {
    return (
      <main className="bare">
        <Failed error={session.error} onRetry={() => void session.refetch()} />
      </main>
    );
  }
  if (session.data === undefined) return <Waiting />;
  const { data } = session;
  return (
    <I18nProvider locale="en-US">
      <ErrorBoundary>
        {link === undefined ? (
          <Pages session={data} fragment={fragment} problem={error === undefined ? undefined : problemSentence(error)} />
        ) : (
          <SignInLink link={link} session={data}>
            {(problem) => <Pages session={data} fragment={fragment} problem={problem} />}
          </SignInLink>
        )}
      </ErrorBoundary>
    </I18nProvider>
  );
}

type AuthPath = Extract<ConsolePath, '/sign-in' | '/sign-up' | '/account/deleted'>;
/** With or without a session: the link of an e-mail may belong to another account. */
type MailPath = Extract<ConsolePath, '/forgot-password' | '/reset-password' | '/verify-email'>;

/** An element for each path of `consolePaths` (packages/schema) that needs a session, with `sharePage` below. */
const signedInPages: Record<Exclude<ConsolePath, AuthPath | MailPath | '/share'>, ReactNode> = {
  '/': <Navigate to="/robots" replace />,
  '/robots': <RobotsPage />,
  // A robot shows this address with its pairing code.
  '/pair': <RobotsPage pairing />,
  '/robots/:robot': <RobotPage />,
  '/robots/:robot/settings': <RobotSettingsPage />,
  '/virtual/:robot': <VirtualPage />,
  '/keys': <KeysPage />,
  '/authorize': <AuthorizePage />,
  '/webhooks': <WebhooksPage />,
  '/activity': <ActivityPage />,
  '/account': <AccountPage />,
};

interface PagesProps {
  session: ConsoleSession;
  fragment: UrlFragment;
  problem: string | undefined;
}

function Pages({ session, fragment: { invitation, share, reset, verify }, problem }: PagesProps) {
  const authPages: Record<AuthPath, ReactNode> = {
    '/sign-in': <SignInPage session={session} problem={problem} />,
    '/sign-up': <SignUpPage session={session} invitation={invitation} />,
    '/account/deleted': <AccountDeletedPage session={session} />,
  };
  const sharePage: Record<'/share', ReactNode> = { '/share': <SharePage token={share} /> };
  const mailPages: Record<MailPath, ReactNode> = {
    '/forgot-password': <ForgotPasswordPage session={session} />,
    '/reset-password': <ResetPasswordPage session={session} token={reset} />,
    '/verify-email': <VerifyEmailPage session={session} token={verify} />,
  };
  return (
    <Suspense fallback={<Waiting />}>
      <Routes>
        {Object.entries(authPages).map(([path, page]) => (
          <Route key={path} path={path} element={<SignedOutOnly signedIn={session.signed_in}>{page}</SignedOutOnly>} />
        ))}
        {Object.entries(mailPages).map(([path, page]) => (
          <Route key={path} path={path} element={page} />
        ))}
        <Route element={<SignedInOnly session={session} />}>
          <Route element={<Shell />}>
            {Object.entries({ ...signedInPages, ...sharePage }).map(([path, page]) => (
              <Route key={path} path={path} element={page} />
            ))}
            {session.signed_in && <Route path="*" element={<NotFoundPage />} />}
          </Route>
        </Route>
        {!session.signed_in && <Route path="*" element={<SignedOutNotFound />} />}
      </Routes>
    </Suspense>
  );
}

function SignedOutOnly({ signedIn, children }: { signedIn: boolean; children: ReactNode }) {
  const { from } = useAuthLocationState();
  return signedIn ? <Navigate to={from ?? '/robots'} replace /> : children;
}
