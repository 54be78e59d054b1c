/** The crowd's process, so that its work is not the measurer's: told over IPC, gone when its parent is. */
import { Crowd, type CrowdPlan } from './slow/crowd.js';

let crowd: Crowd | null = null;

process.on('message', (message: { start?: CrowdPlan; look?: true }) => {
  if (message.start !== undefined) crowd = new Crowd(message.start);
  if (message.look !== undefined) process.send?.(crowd?.state);
});
process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole group; the one that was started ends the others in order.
process.on('SIGINT', () => {});
