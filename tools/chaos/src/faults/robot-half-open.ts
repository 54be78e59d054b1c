/** Robots whose line has gone silent without a goodbye. */
import { misbehavingRobots } from './misbehaving-robots.js';

export const robotHalfOpen = misbehavingRobots('robot-half-open', 'half-open');
