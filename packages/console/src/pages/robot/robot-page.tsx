import { PageHead } from '../../ui/page.js';

export default function RobotPage() {
  return <PageHead title="Robot" />;
}
