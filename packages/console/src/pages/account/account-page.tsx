import { PageHead } from '../../ui/page.js';

export default function AccountPage() {
  return <PageHead title="Account" />;
}
