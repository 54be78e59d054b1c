/** The lines of the robots of one robot-link swallow what they are sent. */
import { halfOpenLines, robots } from './lines.js';

export const halfOpenRobots = halfOpenLines('half-open-robots', robots);
