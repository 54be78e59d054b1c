import { LinkButton } from '../ui/controls/button.js';
import { Brand } from '../ui/shell/brand.js';
import { PageHead } from '../ui/shell/page.js';

const title = 'Page not found';
const lead = 'The address may be mistyped, or the page no longer exists.';

export function NotFoundPage() {
  return <PageHead title={title} lead={lead} actions={<LinkButton to="/robots">Go to your robots</LinkButton>} />;
}

/** Needs no session: a mistyped address must not ask for a password first. */
export function SignedOutNotFound() {
  return (
    <main className="bare">
      <PageHead title={title} lead={lead} above={<Brand />} actions={<LinkButton to="/sign-in">Sign in</LinkButton>} />
    </main>
  );
}
