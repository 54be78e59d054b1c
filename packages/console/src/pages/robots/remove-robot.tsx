import type { ConsoleRobot } from '@perch/schema';
import { nameOf, useRemoveRobot } from '../../api/robots.js';
import { Confirm } from '../../ui/dialog/dialog.js';

interface RemoveRobotProps {
  robot: ConsoleRobot;
  isOpen: boolean;
  onClose: () => void;
  /** Where it is not shown any more. */
  onRemoved?: () => void;
}

export function RemoveRobot({ robot, isOpen, onClose, onRemoved }: RemoveRobotProps) {
  const remove = useRemoveRobot(robot.id);
  return (
    <Confirm
      title={`Remove ${nameOf(robot)}?`}
      action="Remove robot"
      isOpen={isOpen}
      isPending={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            onClose();
            onRemoved?.();
          },
        })
      }
    >
      {robot.virtual
        ? 'It is gone for good, with its events. You can add another one at any time.'
        : 'It is disconnected at once and its token ends; programs cannot reach it any more. To have it back, switch it on and add it by the code on its screen.'}
    </Confirm>
  );
}
