/** Shared with tools/rolling. */
export type { Harm } from './checker/evidence.js';
export { check } from './checker/guarantees.js';
export { finalLogs } from './checker/reads.js';
export { History } from './history/history.js';
export { markOf, Marks } from './history/marks.js';
export type { Call } from './history/records.js';
export { Client, type Address, type ClientKey } from './programs/client.js';
export { marked, planQueuedQuestion, planRead, planWait, unmarked, type Plan } from './programs/plan.js';
export { readAll } from './programs/reader.js';
export { Random } from './random.js';
export { RoundWebhooks } from './receiver/round-webhooks.js';
export { TestRobots } from './robots/test-robots.js';
export type { RecordedRobot } from './robots/recorded-robot.js';
export { RunQueue } from './machine/run-queue.js';
export { Stalls } from './machine/stalls.js';
export { CpuSteal } from './machine/cpu-steal.js';
export { Track } from './system/spans.js';
