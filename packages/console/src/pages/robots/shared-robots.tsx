import type { ConsoleRobot } from '@perch/schema';
import { RobotCard } from './robot-card.js';

export function SharedRobots({ robots, onLabel }: { robots: readonly ConsoleRobot[]; onLabel: (label: string) => void }) {
  if (robots.length === 0) return null;
  return (
    <section className="robots-shared" aria-labelledby="robots-shared-title">
      <h2 id="robots-shared-title">Shared with you</h2>
      <p className="muted">Robots of other accounts. You reach them on this page; your API keys do not.</p>
      <ul className="robots">
        {robots.map((robot) => (
          <RobotCard key={robot.id} robot={robot} onLabel={onLabel} />
        ))}
      </ul>
    </section>
  );
}
