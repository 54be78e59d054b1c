import { Command } from 'commander';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';

export function removeCommand(session: Session): Command {
  return new Command('remove')
    .description('removes an account and all its data; without --yes, only shows what it would remove')
    .argument('<email>', "the account's address")
    .option('--yes', 'removes the account; only a backup can restore it')
    .option('--json', 'prints {"account", "robots", "keys", "webhooks", "removed": true}, with the numbers of removed objects')
    .addHelpText(
      'after',
      '\nRobots are disconnected with 4003, keys and sessions end at once, and the command returns when Redis no longer contains data of the account,' +
        '\nwhich takes at least three seconds. If it fails, run it again to complete the removal.' +
        '\n\nExamples:\n  $ perch account export ada@example.org --file ada.json\n  $ perch account remove ada@example.org --yes',
    )
    .action(async (email: string, { yes, json }: { yes?: boolean; json?: boolean }) => {
      const unknown = (): Refused => new Refused(`there is no account with the address ${email}: perch account list shows all accounts`);
      if (yes !== true) {
        const found = await session.withStore((store) => store.accountRemoval.find(email));
        if (found === null) throw unknown();
        throw new Refused(`this would remove account ${found.account} with ${contentsOf(found)}: add --yes`);
      }
      const removed = await session.withStore((store) => store.accountRemoval.remove(email));
      if (removed === null) throw unknown();
      session.print(json, { ...removed, removed: true }, (answer) => `removed ${answer.account} with ${contentsOf(answer)}`);
    });
}

export function contentsOf({ robots, keys, webhooks }: { robots: number; keys: number; webhooks: number }): string {
  const parts = [
    [robots, 'robot'],
    [keys, 'key'],
    [webhooks, 'webhook'],
  ] as const;
  return parts.map(([count, noun]) => `${count} ${noun}${count === 1 ? '' : 's'}`).join(', ');
}
