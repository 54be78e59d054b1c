import type { ConsoleRobot } from '@perch/schema';
import { nameOf } from '../../api/robots.js';
import { useLeaveRobot } from '../share/sharing.js';
import { Confirm } from '../../ui/dialog/dialog.js';

export function LeaveRobot({ robot, isOpen, onClose }: { robot: ConsoleRobot; isOpen: boolean; onClose: () => void }) {
  const leave = useLeaveRobot(robot.id);
  return (
    <Confirm
      title={`Leave ${nameOf(robot)}?`}
      action="Leave robot"
      isOpen={isOpen}
      isPending={leave.isPending}
      error={leave.error}
      onConfirm={() => leave.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>It disappears from your robots at once. Only a new link from its owner brings it back.</p>
    </Confirm>
  );
}
