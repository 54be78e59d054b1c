import { LinkButton } from '../ui/controls/button.js';
import { PageHead } from '../ui/shell/page.js';

export function NotFoundPage() {
  return (
    <PageHead
      title="There is no such page"
      lead="The address may be mistyped, or what it named is gone."
      actions={<LinkButton to="/robots">To your robots</LinkButton>}
    />
  );
}
