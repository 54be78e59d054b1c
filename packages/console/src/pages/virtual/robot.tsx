import type { ScreenAnswer } from '@perch/schema';
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useWatchedEvents } from '../../api/live/live.js';
import { useLinkUrl } from '../../api/link-url.js';
import { useScreenWords } from '../../api/screen-picture.js';
import { Button, LinkButton } from '../../ui/controls/button.js';
import { Notice } from '../../ui/notice.js';
import { BackLink } from '../../ui/shell/back-link.js';
import { Loading, PageHead } from '../../ui/shell/page.js';
import { useRobotTabs } from '../../keep-robots.js';
import { useMediaQuery } from '../../ui/use-media-query.js';
import { Connection, ConnectionProblem } from './connection.js';
import { LatestEvent, RecentEvents } from './recent-events.js';
import { isHere, isLost } from './page-robot.js';
import { Panels } from './panels.js';
import { Question } from './question.js';
import { InteractiveRobot, type Jolt } from './interactive-robot.js';
import { RobotStore } from './robot-store.js';

const noAnswers: readonly ScreenAnswer[] = [];

export interface RobotProps {
  id: string;
  name: string;
  token: string;
  onRenew: () => void;
  renewing: boolean;
  problem: ReactNode;
}

export function Robot(props: RobotProps) {
  const url = useLinkUrl({ lost: false });
  if (url !== '') return <Connected {...props} url={url} />;
  return (
    <>
      <PageHead title={props.name} above={<BackLink />} />
      <Notice
        tone="bad"
        action={
          <Button small icon="replay" onPress={() => location.reload()}>
            Reload
          </Button>
        }
      >
        The service has no robot-link at the moment. The robot connects as soon as there is one; if this persists, the operator of the service has to
        start a robot-link.
      </Notice>
    </>
  );
}

function Connected({ id, name, token, onRenew, renewing, problem, url: first }: RobotProps & { url: string }) {
  const tabs = useRobotTabs();
  const [store] = useState(() => tabs.find(id, token) ?? new RobotStore({ url: first, token }));
  useEffect(() => tabs.run(id, store), [tabs, id, store]);
  const view = useSyncExternalStore(store.subscribe, store.view);
  const url = useLinkUrl({ lost: view !== null && isLost(view.page.phase) });
  useEffect(() => store.moveTo(url), [store, url]);
  const { events } = useWatchedEvents(id);
  const [jolt, setJolt] = useState<Jolt | null>(null);
  const [outcome, setOutcome] = useState('');
  // Elsewhere the form is beside the robot and shows the outcome itself.
  const isNarrow = useMediaQuery('(max-width: 860px)');
  const stage = useRef<HTMLElement>(null);
  const showStage = useCallback(() => {
    const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth';
    stage.current?.scrollIntoView({ block: 'nearest', behavior });
  }, []);
  const settle = useCallback(() => setJolt(null), []);
  const move = useCallback(
    (jolt: Jolt) => {
      setJolt(jolt);
      store.feel(jolt === 'shake' ? 'shaken' : 'lifted');
    },
    [store],
  );
  const { question = null, card = null } = view?.page.robot.screen ?? {};
  const { says, answers } = useScreenWords(id, (question ?? card)?.id ?? null);
  const looks = useMemo(() => view && { ...view.looks, says }, [view, says]);
  // The panels are rendered after the robot, in pieces, so that the page responds meanwhile.
  const hasPanels = useDeferredValue(view !== null);
  if (view === null || looks === null) return <Loading label="Starting the robot" />;
  const { page, player, gesture, reactions } = view;
  return (
    <>
      <PageHead
        title={name}
        above={<BackLink />}
        lead="The robot runs while a tab of this service is open; phones may pause it in the background. Touch the robot."
        actions={
          <>
            <Connection phase={page.phase} />
            <LinkButton to={`/robots/${id}`} target="_blank" icon="outside">
              Control in a new tab
            </LinkButton>
          </>
        }
      />
      {problem}
      <ConnectionProblem phase={page.phase} page={page} onRenew={onRenew} renewing={renewing} />
      <div className="virtual">
        <InteractiveRobot
          stage={stage}
          outcome={isNarrow ? outcome : ''}
          robot={page.robot}
          isHere={isHere(page.phase)}
          player={player}
          looks={looks}
          asked={question === null ? null : says}
          answers={question === null ? noAnswers : answers}
          gesture={gesture}
          reactions={reactions}
          seed={id}
          jolt={jolt}
          onSettled={settle}
        />
        {hasPanels && (
          <>
            <div className="virtual-panels">
              <Question id={id} online={looks.online} onAsk={showStage} onOutcome={setOutcome} />
              <LatestEvent event={events.at(-1)} />
              <div className="virtual-hands" inert={!isHere(page.phase)}>
                <Panels robot={page.robot} onJolt={move} />
              </div>
            </div>
            <RecentEvents events={events} />
          </>
        )}
      </div>
    </>
  );
}
