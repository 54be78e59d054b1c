import type { ConsoleSession } from '@perch/schema';
import { keepReturnPath } from '../../return-path.js';
import { useEntranceState } from './entrance-state.js';

interface OidcButtonProps {
  session: ConsoleSession;
  /** Where this page must not be left, since something was typed on it. */
  newTab?: boolean;
}

/** Leads to the configured provider and back, to where the person was on the way to. */
export function OidcButton({ session: { oidc }, newTab = false }: OidcButtonProps) {
  const { from } = useEntranceState();
  if (oidc === null) return null;
  const target = newTab ? { target: '_blank', rel: 'noopener' } : { onClick: () => keepReturnPath(from) };
  return (
    <a className="button button-plain button-wide" href="/console/oidc/start" {...target}>
      Continue with {oidc.name}
      {newTab && ' in a new tab'}
    </a>
  );
}
