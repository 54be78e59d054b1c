/**
 * Writes data of every format of formats.ts through the store and reads it, with the code of each release: write.ts saves the data of a release,
 * golden.redis.test.ts compares the current code with it. A later release adds steps for its new formats, with the release that introduced them.
 */
import { accountSteps } from './account-steps.js';
import { callSteps } from './call-steps.js';
import { jobSteps } from './job-steps.js';
import { robotSteps } from './robot-steps.js';
import type { Step } from './step.js';

/** In the order in which they are written and read: a step may use what an earlier one wrote. */
export const steps: readonly Step[] = [...accountSteps, ...robotSteps, ...callSteps, ...jobSteps];
