/** What passes the lines of the robots of one robot-link comes in tiny pieces. */
import { choppedLines, robots } from './lines.js';

export const choppedRobots = choppedLines('chopped-robots', robots);
