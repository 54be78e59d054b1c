import type { Reaction } from '@perch/screen/own-screen';
import type { ConsoleRobot, RobotSnapshot } from '@perch/schema';
import { memo, startTransition, useEffect, useState } from 'react';
import { type RobotLooks, unknownLooks } from '../../../drawing/looks.js';
import { RobotFigure } from '../../../drawing/robot-figure.js';
import { Ago } from '../../../ui/time/ago.js';
import { LinkButton } from '../../../ui/controls/button.js';
import { Notice } from '../../../ui/notice.js';
import { useIsJustPaired } from '../just-paired.js';
import type { Region } from '../playground/regions/region.js';
import { RegionOverlay } from '../playground/regions/region-shape.js';
import { deviceOf, factsOf } from './facts.js';
import { OnlineStatus } from './online-status.js';
import { UpdateNotice } from './update-notice.js';
import './status.css';

interface Props {
  id: string;
  robot: ConsoleRobot | null;
  /** Null while it is loading: the panel then has its final size. */
  snapshot: RobotSnapshot | null;
  looks: RobotLooks | null;
  /** Touches and movements that the robot felt lately. */
  reactions: readonly Reaction[];
  isPictureGone: boolean;
  regions: readonly Region[];
}

export function StatusPanel({ id, robot, snapshot, looks, reactions, isPictureGone, regions }: Props) {
  return (
    <section className="snapshot-panel card" aria-label="The robot now" aria-busy={snapshot === null}>
      <div className="snapshot-head">
        <OnlineStatus online={snapshot?.online ?? null} />
        <span className="field-hint">{snapshot !== null && deviceOf(snapshot, robot)}</span>
      </div>
      <Stage id={id} looks={looks} reactions={reactions} regions={regions} />
      {snapshot?.online !== false && (
        <dl className="snapshot-facts">
          {snapshot === null ? (
            <div className="snapshot-facts-empty" />
          ) : (
            factsOf(snapshot, regions.length).map(({ name, value }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))
          )}
        </dl>
      )}
      {isPictureGone && <Notice tone="info">The robot shows a picture that the service no longer stores, so it cannot be shown here.</Notice>}
      {robot !== null && <UpdateNotice robot={robot} />}
      {snapshot?.online === false && <OfflineNotice id={id} robot={robot} />}
    </section>
  );
}

/** Not rendered again for readings, which arrive every two seconds. */
const Stage = memo(function Stage({ id, looks, reactions, regions }: Pick<Props, 'id' | 'looks' | 'reactions' | 'regions'>) {
  // The texts of the page are painted before the drawing, whose place is kept. It waits for nothing that is rendered in transitions, as the playground is.
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => startTransition(() => setDrawn(true)));
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="snapshot-stage" aria-hidden={looks === null}>
      {isDrawn ? (
        <RobotFigure looks={looks ?? unknownLooks} reactions={reactions} seed={id} overScreen={<RegionOverlay regions={regions} />} />
      ) : (
        <div className="robot-figure" />
      )}
    </div>
  );
});

function OfflineNotice({ id, robot }: { id: string; robot: ConsoleRobot | null }) {
  const isJustPaired = useIsJustPaired();
  if (isJustPaired) return <Notice tone="info">Coming online… The robot is paired and connects within a minute.</Notice>;
  return (
    <Notice
      tone="warn"
      action={
        robot?.virtual === true &&
        robot.shared === undefined && (
          <LinkButton to={`/virtual/${id}`} small>
            Open its page
          </LinkButton>
        )
      }
    >
      {robot?.virtual === true
        ? 'This virtual robot starts on its page, and runs while a tab of this service is open.'
        : 'The robot is not connected. Check that it is switched on and connected to Wi-Fi.'}{' '}
      {typeof robot?.last_seen === 'string' && (
        <>
          Last seen <Ago at={robot.last_seen} />.
        </>
      )}
    </Notice>
  );
}
