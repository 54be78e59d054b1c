/** Process of the slow clients, separate so that its CPU use does not affect the measurements; controlled over IPC, ends with its parent. */
import { Crowd, type CrowdPlan } from './slow/crowd.js';

let crowd: Crowd | null = null;

process.on('message', (message: { start?: CrowdPlan; look?: true }) => {
  if (message.start !== undefined) crowd = new Crowd(message.start);
  if (message.look !== undefined) process.send?.(crowd?.state);
});
process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole process group; the parent stops this process.
process.on('SIGINT', () => {});
