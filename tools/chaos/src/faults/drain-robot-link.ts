/** One robot-link is told to end, ends what it has begun, and is started again. */
import { drain } from './processes.js';

export const drainRobotLink = drain('drain-robot-link', ({ links }) => links);
