/** Robots that send far too much. */
import { misbehavingRobots } from './misbehaving-robots.js';

export const robotFlood = misbehavingRobots('robot-flood', 'flood');
