/** The page: which part of it a path names, and for whom. */
import type { ConsolePath, ConsoleSession } from '@perch/schema';
import { lazy, Suspense, type ReactNode } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { Navigate, Route, Routes } from 'react-router';
import { useSessionQuery } from './api/session.js';
import { ArrivalLink } from './arrival-link.js';
import type { Arrival } from './arrival.js';
import { NotFoundPage } from './pages/not-found.js';
import { useEntranceState } from './pages/sign-in/entrance-state.js';
import { problemSentence } from './pages/sign-in/problem-sentence.js';
import RobotsPage from './pages/robots/robots-page.js';
import SignInPage from './pages/sign-in/sign-in-page.js';
import { SignedInOnly } from './signed-in-only.js';
import { ErrorBoundary } from './ui/shell/error-boundary.js';
import { Failed } from './ui/shell/page.js';
import { Shell } from './ui/shell/shell.js';
import { Waiting } from './waiting.js';

const SignUpPage = lazy(() => import('./pages/sign-up/sign-up-page.js'));
const RobotPage = lazy(() => import('./pages/robot/robot-page.js'));
const VirtualPage = lazy(() => import('./pages/virtual/virtual-page.js'));
const KeysPage = lazy(() => import('./pages/keys/keys-page.js'));
const WebhooksPage = lazy(() => import('./pages/webhooks/webhooks-page.js'));
const AccountPage = lazy(() => import('./pages/account/account-page.js'));

export function App({ arrival: { link, invitation, error } }: { arrival: Arrival }) {
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
          <Pages session={data} invitation={invitation} problem={error === undefined ? undefined : problemSentence(error)} />
        ) : (
          <ArrivalLink link={link} session={data}>
            {(problem) => <Pages session={data} invitation={invitation} problem={problem} />}
          </ArrivalLink>
        )}
      </ErrorBoundary>
    </I18nProvider>
  );
}

type EntrancePath = Extract<ConsolePath, '/sign-in' | '/sign-up'>;

/** An element for every path that the gateway serves the page at (`consolePaths` of packages/schema) and that needs a session. */
const signedInPages: Record<Exclude<ConsolePath, EntrancePath>, ReactNode> = {
  '/': <Navigate to="/robots" replace />,
  '/robots': <RobotsPage />,
  // The address that a robot shows beside its pairing code.
  '/pair': <RobotsPage pairing />,
  '/robots/:robot': <RobotPage />,
  '/virtual/:robot': <VirtualPage />,
  '/keys': <KeysPage />,
  '/webhooks': <WebhooksPage />,
  '/account': <AccountPage />,
};

interface PagesProps {
  session: ConsoleSession;
  invitation: string | undefined;
  /** Why a link, or another service, did not sign in. */
  problem: string | undefined;
}

function Pages({ session, invitation, problem }: PagesProps) {
  const entrances: Record<EntrancePath, ReactNode> = {
    '/sign-in': <SignInPage session={session} problem={problem} />,
    '/sign-up': <SignUpPage session={session} invitation={invitation} />,
  };
  return (
    <Suspense fallback={<Waiting />}>
      <Routes>
        {Object.entries(entrances).map(([path, page]) => (
          <Route key={path} path={path} element={<ForStrangers signedIn={session.signed_in}>{page}</ForStrangers>} />
        ))}
        <Route element={<SignedInOnly session={session} />}>
          <Route element={<Shell />}>
            {Object.entries(signedInPages).map(([path, page]) => (
              <Route key={path} path={path} element={page} />
            ))}
            <Route path="*" element={<NotFoundPage />} />
          </Route>
        </Route>
      </Routes>
    </Suspense>
  );
}

/** Where who is signed in already goes on. */
function ForStrangers({ signedIn, children }: { signedIn: boolean; children: ReactNode }) {
  const { from } = useEntranceState();
  return signedIn ? <Navigate to={from ?? '/robots'} replace /> : children;
}
