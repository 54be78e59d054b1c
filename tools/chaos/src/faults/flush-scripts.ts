/** Redis forgets all scripts, again and again. */
import { commandAgain } from './redis-commands.js';

export const flushScripts = commandAgain('flush-scripts', ['SCRIPT', 'FLUSH'], [20, 400]);
