/** `perch account remove` */
import { Command } from 'commander';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';

export function removeCommand(session: Session): Command {
  return new Command('remove')
    .description('removes an account with everything that is kept about it; without --yes, only says what it would remove')
    .argument('<email>', "the account's address")
    .option('--yes', 'removes it; only a backup can bring it back')
    .option('--json', 'prints {"account", "robots", "keys", "webhooks", "removed": true}, with the numbers of what was removed')
    .addHelpText(
      'after',
      '\nIts robots are closed with 4003, its keys and sessions end at once, and the command returns when nothing in Redis names it any more,' +
        '\nwhich takes at least three seconds. If it fails, run it again: it completes the removal.' +
        '\n\nExamples:\n  $ perch account export ada@example.org --file ada.json\n  $ perch account remove ada@example.org --yes',
    )
    .action(async (email: string, { yes, json }: { yes?: boolean; json?: boolean }) => {
      const nobody = (): Refused => new Refused(`there is no account with the address ${email}: perch account list shows them`);
      if (yes !== true) {
        const found = await session.withStore((store) => store.accountRemoval.find(email));
        if (found === null) throw nobody();
        throw new Refused(`this would remove account ${found.account} with ${contentsOf(found)}: add --yes`);
      }
      const removed = await session.withStore((store) => store.accountRemoval.remove(email));
      if (removed === null) throw nobody();
      session.print(json, { ...removed, removed: true }, (answer) => `removed ${answer.account} with ${contentsOf(answer)}`);
    });
}

function contentsOf({ robots, keys, webhooks }: { robots: number; keys: number; webhooks: number }): string {
  const parts = [
    [robots, 'robot'],
    [keys, 'key'],
    [webhooks, 'webhook'],
  ] as const;
  return parts.map(([count, noun]) => `${count} ${noun}${count === 1 ? '' : 's'}`).join(', ');
}
