/** The lines of one instance to Redis are slow, and not evenly. */
import { slowLines, redis } from './lines.js';

export const slowRedis = slowLines('slow-redis', redis);
