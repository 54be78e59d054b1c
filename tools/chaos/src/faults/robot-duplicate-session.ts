/** Robots whose token is used by two sockets. */
import { misbehavingRobots } from './misbehaving-robots.js';

export const robotDuplicateSession = misbehavingRobots('robot-duplicate-session', 'duplicate-session');
