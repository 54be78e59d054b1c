/** Robots that send what is no message. */
import { misbehavingRobots } from './misbehaving-robots.js';

export const robotGarbage = misbehavingRobots('robot-garbage', 'garbage');
