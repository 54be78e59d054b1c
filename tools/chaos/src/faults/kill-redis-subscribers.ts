/** Redis closes all connections that listen, again and again. */
import { commandAgain } from './redis-commands.js';

export const killRedisSubscribers = commandAgain('kill-redis-subscribers', ['CLIENT', 'KILL', 'TYPE', 'pubsub'], [400, 1500]);
