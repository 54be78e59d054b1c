/** The parts of the bench that tools/load shares: its processes, and figures of processes from the operating system and the services. */
export { cpuMs, machine, residentBytes, type Machine } from './operating-system.js';
export { escaped } from './report/escaped.js';
export { answerAt } from './robots/frame-robot.js';
export { metricIn } from './service-metrics.js';
export { serve, Worker } from './worker.js';
