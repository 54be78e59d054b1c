/** One robot-link is killed and started again. */
import { kill } from './processes.js';

export const killRobotLink = kill('kill-robot-link', ({ links }) => links);
