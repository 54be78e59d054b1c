import type { ConsoleSession } from '@perch/schema';
import { keepReturnPath } from '../../return-path.js';
import { useAuthLocationState } from './auth-location-state.js';

interface OidcButtonProps {
  session: ConsoleSession;
  /** Opens the provider in a new tab, if this page has unsaved input. */
  newTab?: boolean;
}

export function OidcButton({ session: { oidc }, newTab = false }: OidcButtonProps) {
  const { from } = useAuthLocationState();
  if (oidc === null) return null;
  const target = newTab ? { target: '_blank', rel: 'noopener' } : { onClick: () => keepReturnPath(from) };
  return (
    <a className="button button-plain button-wide" href="/console/oidc/start" {...target}>
      Continue with {oidc.name}
      {newTab && ' in a new tab'}
    </a>
  );
}
