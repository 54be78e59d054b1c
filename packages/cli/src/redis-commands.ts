import { Command } from 'commander';
import { Refused } from './refused.js';
import type { Session } from './session.js';

export function redisCommands(session: Session): Command {
  const redis = new Command('redis').description('manages the Redis of the system');

  redis
    .command('restored')
    .description('after restoring a backup: makes event numbers jump ahead, so that no number is used twice')
    .option('--json', 'prints {"ok": true}')
    .addHelpText('after', '\nStart Redis with the backup, run this, then start the services.\n\nExample:\n  $ perch redis restored')
    .action(async ({ json }: { json?: boolean }) => {
      const living = await session.withStore((store) => store.numbering.markRestored());
      if (living.length > 0)
        throw new Refused(`Stop the services first: ${living.join(', ')} ${living.length === 1 ? 'is' : 'are'} running.`, 'failed');
      session.print(json, { ok: true }, () => 'event numbers jump ahead with the next event of each robot');
    });

  return redis;
}
