/** Robots that read nothing any more. */
import { misbehavingRobots } from './misbehaving-robots.js';

export const robotStopReading = misbehavingRobots('robot-stop-reading', 'stop-reading');
