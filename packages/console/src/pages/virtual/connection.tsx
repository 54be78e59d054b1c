import { Button, LinkButton } from '../../ui/controls/button.js';
import { DecisionButton } from '../../ui/decision/decision-button.js';
import { Notice } from '../../ui/notice.js';
import { isLost, type PageRobot, type Phase } from './page-robot.js';

const words: Record<Phase['name'], string> = {
  connecting: 'Connecting',
  online: 'Online',
  elsewhere: 'Running elsewhere',
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
    <DecisionButton small look="plain" onPress={onRenew} isPending={renewing}>
      Get a new token
    </DecisionButton>
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
              Run it here
            </Button>
          }
        >
          Another page or program runs this robot now. Only one can run it at a time.
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
                Go to your robots
              </LinkButton>
            </span>
          }
        >
          The robot’s token was replaced, or the robot was removed. If it is still in your list, get a new token to reconnect it.
        </Notice>
      );
    case 'outdated':
      return (
        <Notice tone="bad" action={reload}>
          The service was updated to a newer version. Reload the page.
        </Notice>
      );
    case 'moved':
      return (
        <Notice tone="bad" action={reload}>
          The address that robots connect to has changed since this page was loaded. Reload the page to reconnect the robot.
        </Notice>
      );
    case 'connecting':
      if (!isLost(phase)) return null;
      return (
        <Notice
          tone="warn"
          action={
            <span className="row">
              <Button small icon="replay" onPress={() => void page.dialNow()}>
                Connect now
              </Button>
              {reload}
              {renew}
            </span>
          }
        >
          The robot cannot connect; it keeps trying. If the rest of this page works, reload it.
        </Notice>
      );
    case 'online':
      return null;
  }
}
