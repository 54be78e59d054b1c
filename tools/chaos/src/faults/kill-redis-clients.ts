/** Redis closes all connections for commands, again and again. */
import { commandAgain } from './redis-commands.js';

export const killRedisClients = commandAgain('kill-redis-clients', ['CLIENT', 'KILL', 'TYPE', 'normal'], [400, 1500]);
