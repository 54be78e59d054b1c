/** The robot on the page: the drawing to touch, its connection and its sound, and everything hands can do to it. */
import { useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useWatchedRobot } from '../../api/live.js';
import { useLinkUrl } from '../../api/link-url.js';
import { Button, LinkButton } from '../../ui/controls/button.js';
import { Notice } from '../../ui/notice.js';
import { Loading, PageHead } from '../../ui/shell/page.js';
import { Connection, ConnectionProblem } from './connection.js';
import { Happened, Latest } from './happened.js';
import { isHere, isLost } from './page-robot.js';
import { Panels } from './panels.js';
import { Question } from './question.js';
import { Stage } from './stage.js';
import { RobotStore } from './robot-store.js';
import { WayBack } from './way-back.js';

export type Jolt = 'shake' | 'lift';

export interface RobotProps {
  id: string;
  name: string;
  token: string;
  /** Gets a new token in place of this one. */
  onRenew: () => void;
  renewing: boolean;
  /** Why there is no new one. */
  problem: ReactNode;
}

export function Robot(props: RobotProps) {
  const url = useLinkUrl({ lost: false });
  if (url !== '') return <Connected {...props} url={url} />;
  return (
    <>
      <PageHead title={props.name} above={<WayBack />} />
      <Notice
        tone="bad"
        action={
          <Button small icon="replay" onPress={() => location.reload()}>
            Reload
          </Button>
        }
      >
        The service has no place for robots to connect to right now. The robot comes by itself when there is one; if it stays so, whoever runs the
        service has to start a robot-link.
      </Notice>
    </>
  );
}

function Connected({ id, name, token, onRenew, renewing, problem, url: first }: RobotProps & { url: string }) {
  const [store] = useState(() => new RobotStore({ url: first, token }));
  const view = useSyncExternalStore(store.subscribe, store.view);
  const url = useLinkUrl({ lost: view !== null && isLost(view.page.phase) });
  useEffect(() => store.moveTo(url), [store, url]);
  const { events } = useWatchedRobot(id);
  const [jolt, setJolt] = useState<Jolt | null>(null);
  if (view === null) return <Loading label="The robot wakes up" />;
  const { page, player, looks, gesture } = view;
  return (
    <>
      <PageHead
        title={name}
        above={<WayBack />}
        lead="This page is the robot: it is connected for as long as it is open; a phone may pause it while it is out of sight. Touch it."
        actions={
          <>
            <Connection phase={page.phase} />
            <LinkButton to={`/robots/${id}`} target="_blank" icon="outside">
              Control it in a new tab
            </LinkButton>
          </>
        }
      />
      {problem}
      <ConnectionProblem phase={page.phase} page={page} onRenew={onRenew} renewing={renewing} />
      <div className="virtual">
        <Stage
          robot={page.robot}
          isHere={isHere(page.phase)}
          player={player}
          looks={looks}
          gesture={gesture}
          jolt={jolt}
          onSettled={() => setJolt(null)}
        />
        <div className="virtual-panels">
          <Question id={id} online={looks.online} />
          <Latest event={events.at(-1)} />
          <div className="virtual-hands" inert={!isHere(page.phase)}>
            <Panels robot={page.robot} onJolt={setJolt} />
          </div>
        </div>
        <Happened events={events} />
      </div>
    </>
  );
}
