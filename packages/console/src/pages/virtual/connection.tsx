/** How the robot's connection stands, and what to do where it does not. */
import { Button, LinkButton } from '../../ui/controls/button.js';
import { Notice } from '../../ui/notice.js';
import { isLost, type PageRobot, type Phase } from './page-robot.js';

const words: Record<Phase['name'], string> = {
  connecting: 'Connecting',
  online: 'Online',
  elsewhere: 'Taken over elsewhere',
  revoked: 'Disconnected: its token was replaced',
  outdated: 'Page out of date',
  moved: 'Page out of date',
};

export function Connection({ phase }: { phase: Phase }) {
  return (
    <p className={`virtual-phase virtual-phase-${phase.name}`} role="status">
      {words[phase.name]}
    </p>
  );
}

export function ConnectionProblem({ phase, page, onRenew, renewing }: { phase: Phase; page: PageRobot; onRenew: () => void; renewing: boolean }) {
  const renew = (
    <Button small onPress={onRenew} isPending={renewing}>
      Get a new token
    </Button>
  );
  const reload = (
    <Button small icon="replay" onPress={() => location.reload()}>
      Reload
    </Button>
  );
  switch (phase.name) {
    case 'elsewhere':
      return (
        <Notice
          tone="warn"
          action={
            <Button small look="primary" onPress={() => page.start()}>
              Bring it back here
            </Button>
          }
        >
          Another page or program is this robot now. One can be it at a time.
        </Notice>
      );
    case 'revoked':
      return (
        <Notice
          tone="bad"
          action={
            <span className="row">
              {renew}
              <LinkButton small to="/robots">
                Your robots
              </LinkButton>
            </span>
          }
        >
          The robot’s token was replaced, or the robot was removed. If it is still among your robots, get a new token and it is back.
        </Notice>
      );
    case 'outdated':
      return (
        <Notice tone="bad" action={reload}>
          The service has moved on to a newer version. Reload the page.
        </Notice>
      );
    case 'moved':
      return (
        <Notice tone="bad" action={reload}>
          Robots connect to another address now than when this page was loaded. Reload the page, and the robot is back.
        </Notice>
      );
    case 'connecting':
      if (!isLost(phase)) return null;
      return (
        <Notice
          tone="warn"
          action={
            <span className="row">
              <Button small icon="replay" onPress={() => void page.hurry()}>
                Try now
              </Button>
              {reload}
              {renew}
            </span>
          }
        >
          The robot cannot connect; it goes on trying. If this page is fine otherwise, reload it.
        </Notice>
      );
    case 'online':
      return null;
  }
}
