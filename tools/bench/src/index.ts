/** The parts of the bench that tools/load shares: its processes, and what the operating system and the services say about theirs. */
export { cpuMs, machine, residentBytes, type Machine } from './operating-system.js';
export { escaped } from './report/escaped.js';
export { answerAt } from './robots/frame-robot.js';
export { metricIn } from './service-metrics.js';
export { serve, Worker } from './worker.js';
