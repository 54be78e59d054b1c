/** One renderer is told to end, ends what it has begun, and is started again. */
import { drain } from './processes.js';

export const drainRenderer = drain('drain-renderer', ({ renderers }) => renderers);
