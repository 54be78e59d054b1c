import type { ConsolePath, ConsoleSession } from '@perch/schema';
import type { QueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useDeferredValue, type ReactNode } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { matchPath, Navigate, Route, Routes } from 'react-router';
import type { Caller } from './api/caller.js';
import { robotsQuery } from './api/robots.js';
import { useSessionQuery } from './api/session.js';
import { SignInLink } from './sign-in-link.js';
import type { UrlFragment } from './url-fragment.js';
import { NotFoundPage, SignedOutNotFound } from './pages/not-found.js';
import { useAuthLocationState } from './pages/sign-in/auth-location-state.js';
import { actionsQuery } from './pages/robot/playground/request/play-action.js';
import { problemSentence } from './pages/sign-in/problem-sentence.js';
import SignInPage from './pages/sign-in/sign-in-page.js';
import { SignedInOnly } from './signed-in-only.js';
import { ErrorBoundary } from './ui/shell/error-boundary.js';
import { Failed } from './ui/shell/page.js';
import { Shell } from './ui/shell/shell.js';
import { Waiting } from './waiting.js';

/** Loads the pages that are files of their own. */
const loadRobotsPage = () => import('./pages/robots/robots-page.js');
const loaders = {
  '/': loadRobotsPage,
  '/robots': loadRobotsPage,
  '/pair': loadRobotsPage,
  '/forgot-password': () => import('./pages/forgot-password/forgot-password-page.js'),
  '/reset-password': () => import('./pages/reset-password/reset-password-page.js'),
  '/verify-email': () => import('./pages/verify-email/verify-email-page.js'),
  '/sign-up': () => import('./pages/sign-up/sign-up-page.js'),
  '/robots/:robot': () => import('./pages/robot/robot-page.js'),
  '/robots/:robot/settings': () => import('./pages/robot/settings/robot-settings-page.js'),
  '/virtual/:robot': () => import('./pages/virtual/virtual-page.js'),
  '/keys': () => import('./pages/keys/keys-page.js'),
  '/authorize': () => import('./pages/authorize/authorize-page.js'),
  '/webhooks': () => import('./pages/webhooks/webhooks-page.js'),
  '/activity': () => import('./pages/activity/activity-page.js'),
  '/share': () => import('./pages/share/share-page.js'),
  '/account': () => import('./pages/account/account-page.js'),
  '/access': () => import('./pages/access/access-page.js'),
  '/account/deleted': () => import('./pages/account/account-deleted-page.js'),
} satisfies Partial<Record<ConsolePath, () => Promise<unknown>>>;

const ForgotPasswordPage = lazy(loaders['/forgot-password']);
const ResetPasswordPage = lazy(loaders['/reset-password']);
const VerifyEmailPage = lazy(loaders['/verify-email']);
const SignUpPage = lazy(loaders['/sign-up']);
const RobotsPage = lazy(loadRobotsPage);
const RobotPage = lazy(loaders['/robots/:robot']);
const RobotSettingsPage = lazy(loaders['/robots/:robot/settings']);
const VirtualPage = lazy(loaders['/virtual/:robot']);
const KeysPage = lazy(loaders['/keys']);
const AuthorizePage = lazy(loaders['/authorize']);
const WebhooksPage = lazy(loaders['/webhooks']);
const ActivityPage = lazy(loaders['/activity']);
const SharePage = lazy(loaders['/share']);
const AccountPage = lazy(loaders['/account']);
const AccessPage = lazy(loaders['/access']);
const AccountDeletedPage = lazy(loaders['/account/deleted']);

/** Begins to load the file of the page at this path and what it shows, while the session is loaded. Without a session, the service refuses the latter. */
export function preloadPage(pathname: string, client: QueryClient, caller: Caller): void {
  if (matchPath('/robots/:robot' satisfies ConsolePath, pathname) !== null) {
    void client.prefetchQuery(robotsQuery(caller));
    void client.prefetchQuery(actionsQuery(caller));
  }
  const [, load] = Object.entries(loaders).find(([path]) => matchPath(path, pathname) !== null) ?? [];
  // A failure is reported when the page is rendered, which loads it again.
  load?.().catch(() => undefined);
}

export function App({ fragment }: { fragment: UrlFragment }) {
  const { link, error } = fragment;
  const session = useSessionQuery();
  // Deferred, so that the first page is rendered in pieces; later changes of the session take effect at once.
  const isLoaded = useDeferredValue(session.data !== undefined);

  if (session.error && session.data === undefined) {
    return (
      <main className="bare">
        <Failed error={session.error} onRetry={() => void session.refetch()} />
      </main>
    );
  }
  if (session.data === undefined || !isLoaded) return <Waiting />;
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
  '/access': <AccessPage />,
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
