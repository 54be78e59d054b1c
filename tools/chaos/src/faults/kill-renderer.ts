/** One renderer is killed and started again. */
import { kill } from './processes.js';

export const killRenderer = kill('kill-renderer', ({ renderers }) => renderers);
