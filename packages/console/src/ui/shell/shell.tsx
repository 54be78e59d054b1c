import { Suspense, type ReactNode } from 'react';
import { Link, Outlet, useLocation } from 'react-router';
import { useLiveResume, useLiveStatus } from '../../api/live/live.js';
import { Brand } from './brand.js';
import { Button } from '../controls/button.js';
import { ErrorBoundary } from './error-boundary.js';
import { Icon, type IconName } from '../icon.js';
import { Loading } from './page.js';
import './shell.css';

interface NavItemProps {
  to: string;
  label: string;
  icon: IconName;
  also?: readonly string[];
}

const navItems: readonly NavItemProps[] = [
  { to: '/robots', label: 'Robots', icon: 'robot', also: ['/virtual', '/pair'] },
  { to: '/keys', label: 'Keys', icon: 'key' },
  { to: '/webhooks', label: 'Webhooks', icon: 'webhook' },
  { to: '/activity', label: 'Activity', icon: 'activity' },
];

export function Shell() {
  const { pathname } = useLocation();
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="shell-head">
        <div className="shell-bar">
          <Link to="/robots" className="shell-brand" aria-label="Perch, robots">
            <Brand />
          </Link>
          <nav className="shell-nav" aria-label="Pages">
            {navItems.map((place) => (
              <NavItem key={place.to} {...place} />
            ))}
            <NavItem to="/account" label="Account" icon="person" />
          </nav>
          <a className="shell-docs" href="/docs">
            API reference
          </a>
        </div>
      </header>
      <ConnectionNotice />
      <main id="main" className="shell-main" tabIndex={-1}>
        <ErrorBoundary key={pathname}>
          <Suspense fallback={<Loading label="Loading the page" />}>
            <Outlet />
          </Suspense>
        </ErrorBoundary>
      </main>
    </div>
  );
}

function NavItem({ to, label, icon, also = [] }: NavItemProps): ReactNode {
  const { pathname } = useLocation();
  const isHere = [to, ...also].some((path) => pathname === path || pathname.startsWith(`${path}/`));
  return (
    <Link to={to} className="shell-place" aria-current={isHere ? 'page' : undefined}>
      <Icon name={icon} />
      <span>{label}</span>
    </Link>
  );
}

function ConnectionNotice() {
  const status = useLiveStatus();
  const resume = useLiveResume();
  return (
    <div role="status" className="lost-place">
      {(status === 'lost' || status === 'crowded_out') && (
        <div className="lost">
          <Icon name="alert" size={18} />
          <span>
            {status === 'lost'
              ? 'The connection is lost. This page may be out of date; it reconnects automatically.'
              : 'This window is out of date while you use others. It is updated again when you use it.'}
          </span>
          <Button small look="quiet" onPress={resume}>
            {status === 'lost' ? 'Reconnect' : 'Update here'}
          </Button>
        </div>
      )}
    </div>
  );
}
