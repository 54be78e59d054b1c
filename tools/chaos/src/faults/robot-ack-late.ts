/** Robots that ack late. */
import { misbehavingRobots } from './misbehaving-robots.js';

export const robotAckLate = misbehavingRobots('robot-ack-late', 'ack-late');
