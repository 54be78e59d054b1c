/** The lines of one instance to Redis swallow what they are sent. */
import { halfOpenLines, redis } from './lines.js';

export const halfOpenRedis = halfOpenLines('half-open-redis', redis);
