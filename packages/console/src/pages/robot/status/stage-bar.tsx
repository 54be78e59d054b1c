/** The robot in one row, which stays in view above the playground on phones. The panel above describes it to screen readers. */
import type { RobotSnapshot } from '@perch/schema';
import type { ReactNode } from 'react';
import { factsOf } from './facts.js';

interface Props {
  snapshot: RobotSnapshot | null;
  screen: ReactNode;
  regionCount: number;
}

export function StageBar({ snapshot, screen, regionCount }: Props) {
  return (
    <div className="stage-bar card" aria-hidden="true">
      <div className="stage-bar-screen">{screen}</div>
      <p className="stage-bar-text">{snapshot !== null && textOf(snapshot, regionCount)}</p>
    </div>
  );
}

function textOf(snapshot: RobotSnapshot, regionCount: number): string {
  if (!snapshot.online) return 'The robot is offline.';
  return factsOf(snapshot, regionCount)
    .filter(({ name }) => name !== 'Sound' || snapshot.sound)
    .map(({ name, value }) => `${name}: ${value}`)
    .join(' · ');
}
