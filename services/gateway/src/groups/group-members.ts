/** The robots of a group: those of a key with a label, or all of its robots. Robots that another account shares are in no group. */
import { ApiError, labelProblem, limits } from '@perch/schema';
import type { RobotListReader, RobotReach } from '../robots/robot-list-reader.js';

const { robotsMax } = limits.groups;

export const everyRobot = 'all';

/** @returns their ids, ascending @throws {ApiError} bad_argument for a malformed label or too many robots, not_found if no robot has the label */
export async function membersOf(robotList: RobotListReader, key: RobotReach, label: string): Promise<string[]> {
  const problem = label === everyRobot ? null : labelProblem(label);
  if (problem !== null) throw new ApiError('bad_argument', `label: ${problem}; or ${everyRobot}, for every robot of the key`, { field: 'label' });
  const members: string[] = [];
  for await (const slice of robotList.slices(key, label === everyRobot ? {} : { label: [label] })) {
    members.push(...slice.map(({ id }) => id));
    if (members.length > robotsMax)
      throw new ApiError('bad_argument', `label: more than ${robotsMax} robots of this key are in this group; choose a smaller one`, {
        field: 'label',
      });
  }
  if (members.length > 0) return members;
  throw new ApiError('not_found', label === everyRobot ? 'This key has no robot.' : `No robot of this key has the label ${JSON.stringify(label)}.`);
}
