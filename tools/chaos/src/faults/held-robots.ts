/** Nothing passes the lines of the robots of one robot-link for a while, then all of it comes. */
import { heldLines, robots } from './lines.js';

export const heldRobots = heldLines('held-robots', robots);
