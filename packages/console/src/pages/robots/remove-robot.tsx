import type { ConsoleRobot } from '@perch/schema';
import { nameOf, useRemoveRobot } from '../../api/robots.js';
import { Confirm } from '../../ui/dialog/dialog.js';

interface RemoveRobotProps {
  robot: ConsoleRobot;
  isOpen: boolean;
  onClose: () => void;
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
        ? 'The robot and its events are deleted permanently. You can add another virtual robot at any time.'
        : 'The robot is disconnected at once, its token is revoked, and programs can no longer reach it. To add it again, switch it on and use the code on its screen.'}
    </Confirm>
  );
}
