/** What passes the lines of one instance to Redis comes in tiny pieces. */
import { choppedLines, redis } from './lines.js';

export const choppedRedis = choppedLines('chopped-redis', redis);
