/** What passes the lines of the programs of one gateway comes in tiny pieces. */
import { choppedLines, programs } from './lines.js';

export const choppedPrograms = choppedLines('chopped-programs', programs);
