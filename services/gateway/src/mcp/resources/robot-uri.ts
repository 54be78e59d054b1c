import { isRobotId } from '@perch/store';

export const resourceParts = ['state', 'screen'] as const;
export type ResourcePart = (typeof resourceParts)[number];

export interface RobotResource {
  uri: string;
  robot: string;
  part: ResourcePart;
}

export function robotUri(robot: string, part: ResourcePart): string {
  return `perch://robots/${robot}/${part}`;
}

/** @returns null for what is not the URI of a robot's state or screen */
export function parseRobotUri(uri: string): RobotResource | null {
  const [, robot = '', name = ''] = /^perch:\/\/robots\/([^/]{1,40})\/([a-z]{1,10})$/.exec(uri) ?? [];
  const part = resourceParts.find((each) => each === name);
  return part === undefined || !isRobotId(robot) ? null : { uri, robot, part };
}
