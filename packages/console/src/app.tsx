/** The page: which part of it a path names, and for whom. */
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { useSessionQuery, useSignIn } from './api/session.js';
import type { Arrival } from './arrival.js';
import { NotFoundPage } from './pages/not-found.js';
import { problemSentence } from './pages/sign-in/problem-sentence.js';
import RobotsPage from './pages/robots/robots-page.js';
import SignInPage from './pages/sign-in/sign-in-page.js';
import { SignedInOnly } from './signed-in-only.js';
import { ErrorBoundary } from './ui/error-boundary.js';
import { Failed, Loading } from './ui/page.js';
import { Shell } from './ui/shell.js';

const SignUpPage = lazy(() => import('./pages/sign-up/sign-up-page.js'));
const RobotPage = lazy(() => import('./pages/robot/robot-page.js'));
const VirtualPage = lazy(() => import('./pages/virtual/virtual-page.js'));
const KeysPage = lazy(() => import('./pages/keys/keys-page.js'));
const WebhooksPage = lazy(() => import('./pages/webhooks/webhooks-page.js'));
const AccountPage = lazy(() => import('./pages/account/account-page.js'));

export function App({ arrival }: { arrival: Arrival }) {
  const entering = useArrivalLink(arrival.link);
  const session = useSessionQuery();

  if (session.error && session.data === undefined) {
    return (
      <main className="bare">
        <Failed error={session.error} onRetry={() => void session.refetch()} />
      </main>
    );
  }
  if (entering.pending || session.data === undefined) return <Waiting />;
  const problem = entering.error ?? (arrival.error === undefined ? undefined : problemSentence(arrival.error));
  return (
    <I18nProvider locale="en-US">
      <ErrorBoundary>
        <Suspense fallback={<Waiting />}>
          <Routes>
            <Route
              path="/sign-in"
              element={
                <ForStrangers signedIn={session.data.signed_in}>
                  <SignInPage session={session.data} problem={problem} />
                </ForStrangers>
              }
            />
            <Route
              path="/sign-up"
              element={
                <ForStrangers signedIn={session.data.signed_in}>
                  <SignUpPage session={session.data} invitation={arrival.invitation} />
                </ForStrangers>
              }
            />
            <Route element={<SignedInOnly session={session.data} />}>
              <Route element={<Shell />}>
                <Route index element={<Navigate to="/robots" replace />} />
                <Route path="/robots" element={<RobotsPage />} />
                {/* Where a robot's code is entered: the address it shows beside it. */}
                <Route path="/pair" element={<RobotsPage pairing />} />
                <Route path="/robots/:robot" element={<RobotPage />} />
                <Route path="/virtual/:robot" element={<VirtualPage />} />
                <Route path="/keys" element={<KeysPage />} />
                <Route path="/webhooks" element={<WebhooksPage />} />
                <Route path="/account" element={<AccountPage />} />
                <Route path="*" element={<NotFoundPage />} />
              </Route>
            </Route>
          </Routes>
        </Suspense>
      </ErrorBoundary>
    </I18nProvider>
  );
}

/** Where who is signed in already goes on. */
function ForStrangers({ signedIn, children }: { signedIn: boolean; children: ReactNode }) {
  const { state } = useLocation();
  const from = (state as { from?: string } | null)?.from;
  return signedIn ? <Navigate to={from ?? '/robots'} replace /> : children;
}

function Waiting() {
  return (
    <main className="bare">
      <Loading label="Perch is loading" />
    </main>
  );
}

/** A link that signs in works once: it is sent once, whatever is rendered again. */
function useArrivalLink(link: string | undefined): { pending: boolean; error: string | undefined } {
  const { mutate } = useSignIn();
  const sent = useRef(false);
  const [state, setState] = useState<{ pending: boolean; error: string | undefined }>({ pending: link !== undefined, error: undefined });
  useEffect(() => {
    if (link === undefined || sent.current) return;
    sent.current = true;
    mutate(
      { link },
      {
        onSuccess: () => setState({ pending: false, error: undefined }),
        onError: (error) => setState({ pending: false, error: error.message }),
      },
    );
  }, [link, mutate]);
  return state;
}
