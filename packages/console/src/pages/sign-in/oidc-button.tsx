import type { ConsoleSession } from '@perch/schema';

/** Leads to the configured provider and back. */
export function OidcButton({ session }: { session: ConsoleSession }) {
  if (session.oidc === null) return null;
  return (
    <>
      <p className="entrance-or">or</p>
      <a className="button button-plain button-wide" href="/console/oidc/start">
        Continue with {session.oidc.name}
      </a>
    </>
  );
}
