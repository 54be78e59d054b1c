import { PageHead } from '../../ui/page.js';

export default function WebhooksPage() {
  return <PageHead title="Webhooks" />;
}
