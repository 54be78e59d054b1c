import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Icon } from '../icon.js';
import './back-link.css';

/** Leads to the page above, from over its title. */
export function BackLink({ to = '/robots', children = 'Robots' }: { to?: string; children?: ReactNode }) {
  return (
    <Link to={to} className="back-link">
      <Icon name="left" size={16} />
      {children}
    </Link>
  );
}
