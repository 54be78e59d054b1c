/** The lines of the robots of one robot-link are slow, and not evenly. */
import { slowLines, robots } from './lines.js';

export const slowRobots = slowLines('slow-robots', robots);
