import { PageHead } from '../../ui/page.js';

export default function RobotsPage({ pairing = false }: { pairing?: boolean }) {
  return <PageHead title={pairing ? 'Pair' : 'Robots'} />;
}
