/** Shared with tools/load and the page's profile. */
export { cpuMs, machine, residentBytes, type Machine } from './operating-system.js';
export { escaped } from './report/escaped.js';
export { answerAt } from './robots/frame-robot.js';
export { RoundMaker, type Rounds } from './rounds.js';
export { metricIn } from './service-metrics.js';
export { serve, Worker } from './worker.js';
