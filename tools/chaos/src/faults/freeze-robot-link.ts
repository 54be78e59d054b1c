/** One robot-link is stopped for longer than leases last, and goes on. */
import { freeze } from './processes.js';

export const freezeRobotLink = freeze('freeze-robot-link', ({ links }) => links);
