/** The page that is a robot: it connects with the robot's own token, shows and plays what the service sends, and reports what hands do to it. */
import { useState } from 'react';
import { useParams } from 'react-router';
import { forgetRobotToken, keepRobotToken, keptRobotToken } from '../../api/robot-tokens.js';
import { nameOf, useNewToken, useRobot, useRobots } from '../../api/robots.js';
import { Button, LinkButton } from '../../ui/controls/button.js';
import { asleep } from '../../twin/looks.js';
import { RobotFigure } from '../../twin/robot-figure.js';
import { Empty, Failed, Loading, PageHead } from '../../ui/shell/page.js';
import { Robot } from './robot.js';
import './virtual.css';
import { WayBack } from './way-back.js';

export default function VirtualPage() {
  const { robot: id = '' } = useParams();
  const robots = useRobots();
  const robot = useRobot(id);
  if (robot === undefined)
    return robots.error ? <Failed error={robots.error} onRetry={() => void robots.refetch()} /> : <Loading label="Looking for the robot" />;
  if (robot === null || !robot.virtual) {
    return (
      <>
        <PageHead title="Virtual robot" above={<WayBack />} />
        <Empty
          title={robot === null ? 'No such robot' : `${nameOf(robot)} is a robot of its own`}
          actions={robot === null ? <LinkButton to="/robots">Your robots</LinkButton> : <LinkButton to={`/robots/${id}`}>Its page</LinkButton>}
        >
          <p>
            {robot === null
              ? 'It was removed, or it is another account’s.'
              : 'This page is for robots without a body. Yours has one: see what it does on its page.'}
          </p>
        </Empty>
      </>
    );
  }
  return <Seat key={id} id={id} name={nameOf(robot)} />;
}

/** With the token this browser has of it, or a way to get one. */
function Seat({ id, name }: { id: string; name: string }) {
  const [token, setToken] = useState(() => keptRobotToken(id));
  const newToken = useNewToken();
  const renew = (): void => {
    newToken.mutate(id, {
      onSuccess: (token) => {
        keepRobotToken(id, token);
        setToken(token);
      },
      onError: () => forgetRobotToken(id),
    });
  };
  const problem = newToken.error ? <Failed error={newToken.error} onRetry={renew} /> : null;
  if (token !== undefined)
    return <Robot key={token} id={id} name={name} token={token} onRenew={renew} renewing={newToken.isPending} problem={problem} />;
  return (
    <>
      <PageHead title={name} above={<WayBack />} />
      <div className="stack">
        {problem}
        <Empty
          picture={
            <div className="virtual-asleep">
              <RobotFigure looks={asleep} />
            </div>
          }
          title={`${name} is not here yet`}
          actions={
            <Button look="primary" onPress={renew} isPending={newToken.isPending}>
              Be {name} here
            </Button>
          }
        >
          <p>
            This page becomes the robot: it shows, plays and feels what the robot does, for as long as it is open. Where another page or program is{' '}
            {name} now, its connection ends.
          </p>
        </Empty>
      </div>
    </>
  );
}
