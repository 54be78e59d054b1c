/** The lines of the programs of one gateway are cut. */
import { cutLines, programs } from './lines.js';

export const cutPrograms = cutLines('cut-programs', programs);
