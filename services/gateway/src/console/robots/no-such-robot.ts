import { ApiError } from '@perch/schema';

export function noSuchRobot(): ApiError {
  return new ApiError('unknown_robot', 'This account has no such robot; it may have been removed.');
}
