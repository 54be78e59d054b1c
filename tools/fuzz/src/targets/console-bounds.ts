/** Reached sequentially and in parallel. */
import { Agent } from 'undici';
import { attemptLimitProblems } from '../console/auth/attempt-limits.js';
import { parallelLimitProblems } from '../console/parallel-limits.js';
import { keysPerAccount } from '../console/auth/console-users.js';
import { openConsoleSetup } from '../console/console-setup.js';
import type { Attack, Target } from './target.js';

export const consoleBounds: Target = { name: 'console-bounds', group: 'console', share: 0, attack: attackBounds };

const accountsMade = 40;
const keysMade = 110;

async function attackBounds({ system, tally, seed, log }: Attack): Promise<null> {
  const setup = await openConsoleSetup(system, 0);
  // Closed at the end: open connections would be counted as the gateway's.
  const dispatcher = new Agent();
  log('console-bounds');
  try {
    const sent = (how: string): void => {
      tally.sent('console-bounds');
      tally.answered('console-bounds', how);
    };
    const found = [
      ...(await attemptLimitProblems({ system, users: setup.users, tally, dispatcher })),
      ...(await parallelLimitProblems({ system, ...setup, sent, dispatcher })),
    ];
    for (const what of found) tally.violated({ target: 'console-bounds', what, request: '', answer: '', seed, index: -1 });
  } finally {
    await dispatcher.destroy();
    await setup.close();
    tally.left((setup.users.accounts + accountsMade) * keysPerAccount + keysMade);
  }
  return null;
}
