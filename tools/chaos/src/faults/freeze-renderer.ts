/** One renderer is stopped for longer than leases last, and goes on. */
import { freeze } from './processes.js';

export const freezeRenderer = freeze('freeze-renderer', ({ renderers }) => renderers);
