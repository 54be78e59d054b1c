import { useState } from 'react';
import { useParams } from 'react-router';
import { forgetRobotToken, keepRobotToken, keptRobotToken } from '../../api/robot-tokens.js';
import { nameOf, useNewToken, useRobot, useRobots } from '../../api/robots.js';
import { LinkButton } from '../../ui/controls/button.js';
import { DecisionButton } from '../../ui/decision/decision-button.js';
import { unknownLooks } from '../../drawing/looks.js';
import { RobotFigure } from '../../drawing/robot-figure.js';
import { BackLink } from '../../ui/shell/back-link.js';
import { Empty, Failed, Loading, PageHead } from '../../ui/shell/page.js';
import { Robot } from './robot.js';
import './virtual.css';

export default function VirtualPage() {
  const { robot: id = '' } = useParams();
  const robots = useRobots();
  const robot = useRobot(id);
  if (robot === undefined)
    return robots.error ? <Failed error={robots.error} onRetry={() => void robots.refetch()} /> : <Loading label="Loading the robot" />;
  if (robot === null || !robot.virtual) {
    return (
      <>
        <PageHead title="Virtual robot" above={<BackLink />} />
        <Empty
          title={robot === null ? 'No such robot' : `${nameOf(robot)} is a physical robot`}
          actions={
            robot === null ? <LinkButton to="/robots">Go to your robots</LinkButton> : <LinkButton to={`/robots/${id}`}>Go to its page</LinkButton>
          }
        >
          <p>{robot === null ? 'It was removed, or it belongs to another account.' : 'Only virtual robots run in the browser.'}</p>
        </Empty>
      </>
    );
  }
  return <TokenGate key={id} id={id} name={nameOf(robot)} />;
}

/** Runs the robot with the token stored in this browser, or offers to get a new one. */
function TokenGate({ id, name }: { id: string; name: string }) {
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
      <PageHead title={name} above={<BackLink />} />
      <div className="stack">
        {problem}
        <Empty
          picture={
            <div className="virtual-placeholder">
              <RobotFigure looks={unknownLooks} />
            </div>
          }
          title={`${name} does not run in this browser`}
          actions={
            <DecisionButton onPress={renew} isPending={newToken.isPending}>
              {`Run ${name} here`}
            </DecisionButton>
          }
        >
          <p>
            This page runs the robot while it is open: it shows its screen, plays its sounds and reports touches. If another page or program runs{' '}
            {name} now, that connection is closed.
          </p>
        </Empty>
      </div>
    </>
  );
}
