import { limitMax, type AccountLimits, type Limit } from '@perch/store';
import { Command, InvalidArgumentError } from 'commander';
import { byEmail } from './account-by-email.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';

export function limitsCommand(session: Session): Command {
  return new Command('limits')
    .description('shows and sets the limits of an account; running gateways apply them within seconds')
    .argument('<email>', "the account's address")
    .option('--robots <n>', 'maximum number of robots: a number, none (no limit), or default (from the settings of the services)', limit)
    .option('--keys <n>', 'maximum number of API keys: a number, none, or default', limit)
    .option(
      '--actions-per-second <n>',
      'maximum actions per second of all its API keys together, across all gateways: a number, none, or default',
      limit,
    )
    .option('--json', 'prints {"account", "robots", "keys", "actions_per_second"}; a limit is a number, "none" or "default"')
    .addHelpText(
      'after',
      '\nA limit below the current number removes nothing, but rejects new robots or keys.' +
        '\n\nExamples:\n  $ perch account limits ada@example.org' +
        '\n  $ perch account limits ada@example.org --robots 500 --keys none --actions-per-second 50',
    )
    .action(async (email: string, options: { robots?: Limit; keys?: Limit; actionsPerSecond?: Limit; json?: boolean }) => {
      const { robots, keys, actionsPerSecond: actionsPerS } = options;
      const answer = await session.withStore(async (store) => {
        const { id } = await byEmail(store, email);
        const wanted: Partial<AccountLimits> = {
          ...(robots === undefined ? {} : { robots }),
          ...(keys === undefined ? {} : { keys }),
          ...(actionsPerS === undefined ? {} : { actionsPerS }),
        };
        if (Object.keys(wanted).length > 0 && !(await store.accountLimits.set(id, wanted)))
          throw new Refused(`the account of ${email} is being removed`);
        const now = await store.accountLimits.get(id);
        return { account: id, robots: now.robots, keys: now.keys, actions_per_second: now.actionsPerS };
      });
      session.print(options.json, answer, (limits) =>
        [`robots              ${limits.robots}`, `keys                ${limits.keys}`, `actions per second  ${limits.actions_per_second}`].join('\n'),
      );
    });
}

function limit(text: string): Limit {
  if (text === 'none' || text === 'default') return text;
  const value = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > limitMax) throw new InvalidArgumentError(`Must be a whole number from 1 to ${limitMax}, none or default.`);
  return value;
}
