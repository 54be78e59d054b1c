/** The lines of one instance to Redis are cut. */
import { cutLines, redis } from './lines.js';

export const cutRedis = cutLines('cut-redis', redis);
