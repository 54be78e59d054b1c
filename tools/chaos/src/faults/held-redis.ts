/** Nothing passes the lines of one instance to Redis for a while, then all of it comes. */
import { heldLines, redis } from './lines.js';

export const heldRedis = heldLines('held-redis', redis);
