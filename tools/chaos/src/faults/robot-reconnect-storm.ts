/** Robots that dial again and again. */
import { misbehavingRobots } from './misbehaving-robots.js';

export const robotReconnectStorm = misbehavingRobots('robot-reconnect-storm', 'reconnect-storm');
