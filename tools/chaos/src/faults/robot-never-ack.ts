/** Robots that take commands and never ack. */
import { misbehavingRobots } from './misbehaving-robots.js';

export const robotNeverAck = misbehavingRobots('robot-never-ack', 'never-ack');
