/** What stands around every page of who is signed in: the way to the others, the account, and word when the connection is lost. */
import { Suspense, type ReactNode } from 'react';
import { Link, Outlet, useLocation } from 'react-router';
import { useLiveResume, useLiveStatus } from '../../api/live.js';
import { Brand } from './brand.js';
import { Button } from '../controls/button.js';
import { ErrorBoundary } from './error-boundary.js';
import { Icon, type IconName } from '../icon.js';
import { Loading } from './page.js';
import './shell.css';

interface PlaceProps {
  to: string;
  label: string;
  icon: IconName;
  /** Other paths whose pages belong to it. */
  also?: readonly string[];
}

const places: readonly PlaceProps[] = [
  { to: '/robots', label: 'Robots', icon: 'robot', also: ['/virtual', '/pair'] },
  { to: '/keys', label: 'Keys', icon: 'key' },
  { to: '/webhooks', label: 'Webhooks', icon: 'webhook' },
];

export function Shell() {
  const { pathname } = useLocation();
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <header className="shell-head">
        <div className="shell-bar">
          <Link to="/robots" className="shell-brand" aria-label="Perch, robots">
            <Brand />
          </Link>
          <nav className="shell-nav" aria-label="Pages">
            {places.map((place) => (
              <Place key={place.to} {...place} />
            ))}
            <Place to="/account" label="Account" icon="person" />
          </nav>
          <a className="shell-docs" href="/docs">
            API reference
          </a>
        </div>
      </header>
      <Lost />
      <main id="main" className="shell-main" tabIndex={-1}>
        <ErrorBoundary key={pathname}>
          <Suspense fallback={<Loading label="The page is loading" />}>
            <Outlet />
          </Suspense>
        </ErrorBoundary>
      </main>
    </div>
  );
}

function Place({ to, label, icon, also = [] }: PlaceProps): ReactNode {
  const { pathname } = useLocation();
  const isHere = [to, ...also].some((path) => pathname === path || pathname.startsWith(`${path}/`));
  return (
    <Link to={to} className="shell-place" aria-current={isHere ? 'page' : undefined}>
      <Icon name={icon} />
      <span>{label}</span>
    </Link>
  );
}

function Lost() {
  const status = useLiveStatus();
  const resume = useLiveResume();
  return (
    <div role="status" className="lost-place">
      {status === 'lost' && (
        <div className="lost">
          <Icon name="alert" size={18} />
          <span>The connection is lost. What you see may be old; it comes back by itself.</span>
          <Button small look="quiet" onPress={resume}>
            Try now
          </Button>
        </div>
      )}
    </div>
  );
}
