/** The lines of the programs of one gateway swallow what they are sent. */
import { halfOpenLines, programs } from './lines.js';

export const halfOpenPrograms = halfOpenLines('half-open-programs', programs);
