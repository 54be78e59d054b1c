/** Limits of the console, reached sequentially and in parallel: password attempts, sign-ups, streams, keys, tokens that work once. */
import { Agent } from 'undici';
import { guessingProblems } from '../console/auth/guessing.js';
import { heldBoundProblems } from '../console/held-bounds.js';
import { keysPerAccount } from '../console/auth/people.js';
import { openSetting } from '../console/setting.js';
import type { Attack, Target } from './target.js';

export const consoleBounds: Target = { name: 'console-bounds', group: 'console', share: 0, attack: attackBounds };

/** Accounts made by attempts, links and invitations, and keys of one account. */
const accountsMade = 40;
const keysMade = 110;

async function attackBounds({ stage, tally, seed, say }: Attack): Promise<null> {
  const setting = await openSetting(stage, 0);
  // Closed at the end: open connections would be counted as the gateway's.
  const dispatcher = new Agent();
  say('console-bounds');
  try {
    const sent = (how: string): void => {
      tally.sent('console-bounds');
      tally.answered('console-bounds', how);
    };
    const found = [
      ...(await guessingProblems({ stage, people: setting.people, tally, dispatcher })),
      ...(await heldBoundProblems({ stage, ...setting, sent, dispatcher })),
    ];
    for (const what of found) tally.violated({ target: 'console-bounds', what, request: '', answer: '', seed, index: -1 });
  } finally {
    await dispatcher.destroy();
    await setting.close();
    tally.left((setting.people.accounts + accountsMade) * keysPerAccount + keysMade);
  }
  return null;
}
