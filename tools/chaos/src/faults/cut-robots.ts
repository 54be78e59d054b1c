/** The lines of the robots of one robot-link are cut. */
import { cutLines, robots } from './lines.js';

export const cutRobots = cutLines('cut-robots', robots);
