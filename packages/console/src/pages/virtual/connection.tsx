/** How the robot's connection stands, and what to do where it does not. */
import { Button, LinkButton } from '../../ui/button.js';
import { Notice } from '../../ui/notice.js';
import type { PageRobot, Phase } from './page-robot.js';

const words: Record<Phase['name'], string> = {
  connecting: 'Connecting',
  online: 'Online',
  elsewhere: 'Taken over elsewhere',
  revoked: 'Token no longer good',
  outdated: 'Page out of date',
};

/** So many dials in a row without a welcome are more than a hiccup. */
const troubledFrom = 2;

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
        <Notice
          tone="bad"
          action={
            <Button small icon="replay" onPress={() => location.reload()}>
              Reload
            </Button>
          }
        >
          The service has moved on to a newer version. Reload the page.
        </Notice>
      );
    case 'connecting':
      if (phase.failures < troubledFrom) return null;
      return (
        <Notice
          tone="warn"
          action={
            <span className="row">
              <Button small icon="replay" onPress={() => void page.hurry()}>
                Try now
              </Button>
              {renew}
            </span>
          }
        >
          The robot cannot connect; it goes on trying. If your connection is fine, its token may have been replaced: get a new one.
        </Notice>
      );
    case 'online':
      return null;
  }
}
