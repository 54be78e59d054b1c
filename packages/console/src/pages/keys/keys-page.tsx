import { PageHead } from '../../ui/page.js';

export default function KeysPage() {
  return <PageHead title="Keys" />;
}
