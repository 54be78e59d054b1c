import { useNavigate } from 'react-router';
import { keepRobotToken } from '../../api/robot-tokens.js';
import { useAddRobot, useRobots } from '../../api/robots.js';
import { birdName } from './bird-name.js';

export function useAddVirtual() {
  const navigate = useNavigate();
  const robots = useRobots();
  const add = useAddRobot();
  return {
    isPending: add.isPending,
    error: add.error,
    addVirtual: () =>
      add.mutate(
        { virtual: true, name: birdName(robots.data?.robots.map(({ name }) => name) ?? []) },
        {
          onSuccess: ({ robot, token }) => {
            if (token !== undefined) keepRobotToken(robot.id, token);
            void navigate(`/virtual/${encodeURIComponent(robot.id)}`);
          },
        },
      ),
  };
}
