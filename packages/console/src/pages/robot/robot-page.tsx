import { useMemo } from 'react';
import { Link, useParams } from 'react-router';
import { useWatchedRobot } from '../../api/live.js';
import { nameOf, useRobot } from '../../api/robots.js';
import { RobotScreen } from '../../drawing/screen.js';
import { LinkButton } from '../../ui/controls/button.js';
import { CopyButton } from '../../ui/controls/copy.js';
import { Icon } from '../../ui/icon.js';
import { Empty, Failed, Loading, PageHead } from '../../ui/shell/page.js';
import { EventFeed } from './events/event-feed.js';
import { LogPanel } from './log-panel.js';
import { looksOf } from './looks-of.js';
import { Playground } from './playground/playground.js';
import { ScreenNowProvider } from './playground/screen-now.js';
import { ReadingsPanel } from './readings/readings-panel.js';
import { StatusPanel } from './status-panel.js';
import { useRobotState } from './use-robot-state.js';
import { useScreenPicture } from './use-screen-picture.js';
import './robot-page.css';

export default function RobotPage() {
  const { robot = '' } = useParams();
  return <Robot key={robot} id={robot} />;
}

function Robot({ id }: { id: string }) {
  const robot = useRobot(id);
  const { snapshot, events, gap } = useWatchedRobot(id);
  const state = useRobotState(id, snapshot?.online ?? false, robot !== null);
  const picture = useScreenPicture(id, snapshot);
  const looks = useMemo(() => (snapshot === null ? null : looksOf(snapshot, picture.address)), [snapshot, picture.address]);
  const name = robot ? nameOf(robot) : id;

  if (state.error?.status === 404) return <NoSuchRobot />;
  return (
    <>
      <PageHead
        title={name}
        lead={
          <span className="robot-id">
            <code>{id}</code> <CopyButton text={id} label="the robot's id" />
          </span>
        }
        above={
          <Link to="/robots" className="robot-back">
            <Icon name="left" size={16} /> Robots
          </Link>
        }
      />
      {state.error !== null && snapshot === null && <Failed error={state.error} onRetry={() => void state.refetch()} />}
      <div className="robot-page">
        <div className="robot-watch">
          {snapshot === null || looks === null ? (
            <Loading label="Loading the robot" />
          ) : (
            <StatusPanel id={id} robot={robot ?? null} snapshot={snapshot} looks={looks} isPictureGone={picture.isGone} />
          )}
          <EventFeed events={events} gap={gap} />
        </div>
        <ScreenNowProvider value={looks === null ? null : <RobotScreen looks={looks} />}>
          <Playground robot={id} commands={state.data?.commands ?? []} />
        </ScreenNowProvider>
        <ReadingsPanel readings={snapshot?.readings ?? {}} at={snapshot?.readings_at ?? null} />
        <LogPanel id={id} />
      </div>
    </>
  );
}

function NoSuchRobot() {
  return (
    <>
      <PageHead title="No such robot" />
      <Empty
        title="Your account has no robot with this id"
        actions={
          <LinkButton to="/robots" look="primary">
            Go to your robots
          </LinkButton>
        }
      >
        <p>It may have been removed, or belong to another account.</p>
      </Empty>
    </>
  );
}
