import { PageHead } from '../../ui/page.js';

export default function VirtualPage() {
  return <PageHead title="Virtual" />;
}
