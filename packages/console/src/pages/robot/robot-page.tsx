import type { ListedCommand, RobotSnapshot } from '@perch/schema';
import { usePrefetchQuery } from '@tanstack/react-query';
import { startTransition, useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useParams } from 'react-router';
import { useCaller } from '../../api/api.js';
import { useWatchedRobot } from '../../api/live/live.js';
import { nameOf, useReachedRobot } from '../../api/robots.js';
import { mayUse } from '../share/sharing.js';
import { RobotScreen } from '../../drawing/screen.js';
import { LinkButton } from '../../ui/controls/button.js';
import { CopyButton } from '../../ui/controls/copy.js';
import { BackLink } from '../../ui/shell/back-link.js';
import { Empty, Failed, PageHead } from '../../ui/shell/page.js';
import { sharedText } from '../share/shared-text.js';
import { useMediaQuery } from '../../ui/use-media-query.js';
import { EventFeed } from './events/event-feed.js';
import { EncryptionNotice, LogPanel } from './log-panel.js';
import { ScreensPanel } from './screens/screens-panel.js';
import { Playground, type Tried } from './playground/playground.js';
import type { Region } from './playground/regions/region.js';
import { RegionOverlay } from './playground/regions/region-shape.js';
import { actionsQuery } from './playground/request/play-action.js';
import { ScreenNowProvider } from './playground/screen-now.js';
import { useAddressParameter } from './playground/use-address-parameter.js';
import { ReadingsPanel } from './readings/readings-panel.js';
import { StageBar } from './status/stage-bar.js';
import { StatusPanel } from './status/status-panel.js';
import { useLooks } from './use-looks.js';
import { useBelowHeld } from './use-below-held.js';
import { useReactions } from './use-reactions.js';
import { useRobotState } from './use-robot-state.js';
import { idOnScreen, useScreenWords } from '../../api/screen-picture.js';
import { useScreenPicture } from './use-screen-picture.js';
import './robot-page.css';

const noReadings = {};
const noCommands: readonly ListedCommand[] = [];

export default function RobotPage() {
  const { robot = '' } = useParams();
  return <Robot key={robot} id={robot} />;
}

function Robot({ id }: { id: string }) {
  const robot = useReachedRobot(id);
  // Before it is known whether the robot may be used, which the live stream tells.
  usePrefetchQuery(actionsQuery(useCaller()));
  const { snapshot: latest, events, gap } = useWatchedRobot(id);
  const snapshot = useLaterSnapshot(latest);
  const state = useRobotState(id, snapshot?.online ?? robot?.online ?? false, robot !== null);
  const declared = state.data?.commands ?? noCommands;
  const isGuest = robot !== undefined && robot?.shared !== undefined;
  // Deferred, as the form is rendered again when they come. To a guest, the service refuses what the robot keeps for good (actions/command.ts).
  const commands = useDeferredValue(
    useMemo(() => (isGuest ? declared.filter(({ name }) => !/calibrat/i.test(name)) : declared), [declared, isGuest]),
  );
  const reactions = useReactions(events);
  const picture = useScreenPicture(id, snapshot, latest);
  const { says } = useScreenWords(id, idOnScreen(snapshot));
  const looks = useLooks(snapshot, picture.address, says);
  const screenNow = useMemo(() => looks !== null && <RobotScreen looks={looks} />, [looks]);
  const name = robot ? nameOf(robot) : id;
  const [regions, setRegions] = useState<readonly Region[]>([]);
  const [tried, setTried] = useState<Tried | null>(null);
  const [isPlayPlaced, setPlayPlaced] = useState(false);
  const placePlay = useCallback(() => startTransition(() => setPlayPlaced(true)), []);
  const [, setAction] = useAddressParameter('action');
  const isNarrow = useMediaQuery('(max-width: 61.99rem)');
  // Until it is known whose robot it is, nothing is offered that a guest may not do.
  const isOwn = robot !== undefined && robot?.shared === undefined;
  const isUsed = robot !== undefined && (robot === null || mayUse(robot));
  const isOnlyWatched = robot !== undefined && !isUsed;
  const isBelowHeld = useBelowHeld(isNarrow, looks !== null && !picture.isLoading);
  const isPlayShown = isUsed && !isBelowHeld;
  // A panel is rendered only once those above it have their height; otherwise it would move while a user opens it.
  const isWorkPlaced = isPlayPlaced || (isOnlyWatched && !isBelowHeld);
  const areReadingsPlaced = isWorkPlaced && (snapshot !== null || state.error !== null);

  const settings = (
    <LinkButton icon="settings" to={`/robots/${encodeURIComponent(id)}/settings`}>
      Settings
    </LinkButton>
  );

  if (state.error?.status === 404) return <NoSuchRobot />;
  return (
    <>
      <PageHead
        title={name}
        actions={isOwn ? settings : <span className="robot-no-settings">{robot === undefined && settings}</span>}
        lead={
          robot?.shared !== undefined ? (
            sharedText(robot.shared)
          ) : (
            <span className="robot-id">
              <code>{id}</code> <CopyButton text={id} label="the robot's id" />
            </span>
          )
        }
        above={<BackLink />}
      />
      {state.error !== null && snapshot === null && <Failed error={state.error} onRetry={() => void state.refetch()} />}
      <div className="robot-page">
        <div className="robot-work">
          <div className="robot-watch">
            <StatusPanel
              id={id}
              robot={robot ?? null}
              snapshot={snapshot}
              looks={looks}
              reactions={reactions}
              isPictureGone={picture.isGone}
              regions={regions}
            />
            {/* Shown once it is known whose robot it is; otherwise it would move. */}
            {isPlayShown && <EventFeed events={events} gap={gap} />}
          </div>
          <div className="robot-play">
            {isOnlyWatched && !isBelowHeld && <EventFeed events={events} gap={gap} />}
            {isNarrow && isPlayShown && (
              <StageBar
                snapshot={snapshot}
                screen={
                  looks !== null && (
                    <RobotScreen looks={looks}>
                      <RegionOverlay regions={regions} />
                    </RobotScreen>
                  )
                }
                regionCount={regions.length}
              />
            )}
            <ScreenNowProvider value={screenNow}>
              {isPlayShown && <Playground robot={id} isOwn={isOwn} commands={commands} onRegions={setRegions} tried={tried} onPlaced={placePlay} />}
            </ScreenNowProvider>
          </div>
        </div>
        {isWorkPlaced && <ReadingsPanel readings={snapshot?.readings ?? noReadings} at={snapshot?.readings_at ?? null} />}
        {isOwn && areReadingsPlaced && (
          <ScreensPanel
            robot={id}
            onTry={(action, args) => {
              setAction(action);
              setTried({ action, args });
            }}
          />
        )}
        {isOwn && areReadingsPlaced && <EncryptionNotice id={id} />}
        {isOwn && areReadingsPlaced && <LogPanel id={id} />}
      </div>
    </>
  );
}

/**
 * Returns a snapshot that is rendered in pieces, since it changes the drawing and many readings; the page responds meanwhile. The first one is a transition and
 * not deferred: it would be rendered after all parts of the playground.
 */
function useLaterSnapshot(latest: RobotSnapshot | null): RobotSnapshot | null {
  const deferred = useDeferredValue(latest);
  const [first, setFirst] = useState<RobotSnapshot | null>(null);
  useEffect(() => {
    if (first === null && latest !== null) startTransition(() => setFirst(latest));
  }, [first, latest]);
  return deferred ?? first;
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
