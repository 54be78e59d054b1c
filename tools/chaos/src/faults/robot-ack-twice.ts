/** Robots that ack everything twice. */
import { misbehavingRobots } from './misbehaving-robots.js';

export const robotAckTwice = misbehavingRobots('robot-ack-twice', 'ack-twice');
