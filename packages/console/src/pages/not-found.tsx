import { LinkButton } from '../ui/controls/button.js';
import { PageHead } from '../ui/shell/page.js';

export function NotFoundPage() {
  return (
    <PageHead
      title="Page not found"
      lead="The address may be mistyped, or the page no longer exists."
      actions={<LinkButton to="/robots">Go to your robots</LinkButton>}
    />
  );
}
