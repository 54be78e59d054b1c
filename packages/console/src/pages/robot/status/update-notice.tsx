import type { ConsoleRobot } from '@perch/schema';
import { messageOf } from '../../../api/call-error.js';
import { useUpdateRobot } from '../../../api/robots.js';
import { DecisionButton } from '../../../ui/decision/decision-button.js';
import { Notice } from '../../../ui/notice.js';

/** Another version of the robot program that the robot is offered, and how its update goes. Nothing for robots that the service does not update. */
export function UpdateNotice({ robot }: { robot: ConsoleRobot }) {
  const update = useUpdateRobot(robot.id);
  const { update: status } = robot;
  if (status === undefined) return null;
  const { state, current, offered, error } = status;
  if (state === 'up_to_date') return <p className="field-hint">Robot program {current}, the version of this service.</p>;
  if (state === 'requested') return <Notice tone="info">The update to {offered} begins when the robot is not busy.</Notice>;
  if (state === 'updating') return <Notice tone="info">The robot installs version {offered}, and starts again. Leave its power on.</Notice>;
  const start = (
    <DecisionButton
      look="plain"
      small
      about={`${robot.id} ${offered}`}
      lacks={robot.online ? null : 'The robot is offline'}
      isPending={update.isPending}
      onPress={() => update.mutate()}
    >
      {`Update to ${offered}`}
    </DecisionButton>
  );
  return (
    <>
      {state === 'failed' ? (
        <Notice tone="warn" action={start}>
          The update to {offered} failed: {error}. Version {current} runs as before.
        </Notice>
      ) : (
        <Notice tone="info" action={start}>
          Version {offered} of the robot program is available; the robot runs {current}.
        </Notice>
      )}
      {update.error && <Notice tone="bad">{messageOf(update.error)}</Notice>}
    </>
  );
}
